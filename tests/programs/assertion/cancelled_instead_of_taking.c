// A thread that is about to take a unit may be cancelled instead.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy dpor: bug assertion
//@ check --strategy dpor-classic: bug assertion
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t s;
static atomic_int x;

static void *looks(void *arg)
{
    int v;
    sem_getvalue(&s, &v);
    assert(v != 2);
    return arg;
}

static void *takes(void *arg)
{
    sem_wait(&s);
    return arg;
}

static void *cancels(void *arg)
{
    pthread_cancel((pthread_t)arg);
    return 0;
}

static void *writes(void *arg)
{
    x = 1;
    return arg;
}

static void *posts(void *arg)
{
    if (x == 0)
        sem_post(&s);
    return arg;
}

int main(void)
{
    pthread_t a, t, c, y, z;
    sem_init(&s, 0, 1);
    pthread_create(&a, 0, looks, 0);
    pthread_create(&t, 0, takes, 0);
    pthread_create(&c, 0, cancels, (void *)t);
    pthread_create(&y, 0, writes, 0);
    pthread_create(&z, 0, posts, 0);
    pthread_exit(0);
}
