// Three threads take two of three locks each, in one order of all locks, so nobody can be blocked and no question for deadlocks is needed. With CYCLE the last thread takes them the other way
// round and closes a circle of three. With TRY it only tries to, so that the circle is there and no deadlock. With RELOCK a thread takes again what it holds.
//@ check --races ignore: safe
//@ check --races ignore --strategy unfold: safe
//@ check --races ignore --strategy contextual: safe
//@ check --races ignore --strategy stateful: safe
//@ check --races ignore --strategy unfold --jobs 2: safe
//@ check --races ignore --cflag=-DCYCLE: bug deadlock
//@ check --races ignore --strategy unfold --cflag=-DCYCLE: bug deadlock
//@ check --races ignore --strategy contextual --cflag=-DCYCLE: bug deadlock
//@ check --races ignore --strategy contextual --cflag=-DCYCLE --jobs 3: bug deadlock
//@ check --races ignore --strategy stateful --cflag=-DCYCLE --jobs 2: bug deadlock
//@ check --races ignore --strategy stateful-naive --cflag=-DCYCLE --jobs 2: bug deadlock
//@ check --races ignore --cflag=-DTRY: safe
//@ check --races ignore --strategy unfold --cflag=-DTRY: safe
//@ check --races ignore --strategy contextual --cflag=-DTRY: safe
//@ check --races ignore --strategy stateful --cflag=-DTRY: safe
//@ check --races ignore --cflag=-DRELOCK: bug lock-misuse
//@ check --races ignore --strategy unfold --cflag=-DRELOCK: bug lock-misuse
//@ check --races ignore --strategy contextual --cflag=-DRELOCK: bug lock-misuse
//@ check --races ignore --strategy stateful --cflag=-DRELOCK: bug lock-misuse
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    shared++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *one(void *arg)
{
    both(&a, &b);
    return arg;
}

static void *two(void *arg)
{
    both(&b, &c);
    return arg;
}

static void *three(void *arg)
{
#if defined CYCLE
    both(&c, &a);
#elif defined TRY
    pthread_mutex_lock(&c);
    if (pthread_mutex_trylock(&a) == 0)
        pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&c);
#elif defined RELOCK
    both(&c, &c);
#else
    both(&a, &c);
#endif
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_create(&threads[2], NULL, three, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
