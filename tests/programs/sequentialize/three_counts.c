// A semaphore lets two threads in, or all three: only then the first sees that both others are in at the same time. A second look at the same write is no source.
//@ check --races ignore --strategy sequentialize --max-interferences 1: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 2: bug assertion message="k = 2"
//@ check --races ignore --cflag=-DRIGHT --strategy sequentialize: bounded
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static int volatile in_second, in_third;

static void *first(void *arg)
{
    sem_wait(&s);
    assert(!(in_second == 1 && in_third == 1 && in_second == 1)); //~ BUG assertion
    sem_post(&s);
    return arg;
}

static void *second(void *arg)
{
    sem_wait(&s);
    in_second = 1;
    in_second = 2;
    sem_post(&s);
    return arg;
}

static void *third(void *arg)
{
    sem_wait(&s);
    in_third = 1;
    in_third = 2;
    sem_post(&s);
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
#ifdef RIGHT
    sem_init(&s, 0, 2);
#else
    sem_init(&s, 0, 3);
#endif
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_create(&c, NULL, third, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
