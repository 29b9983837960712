// A timed wait for a semaphore ends by itself, so it needs neither a unit nor a cancellation to come before the one that cancels it.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy dpor: bug assertion
//@ check --strategy dpor-classic: bug assertion
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t s;
static pthread_t timed;

static void *takes(void *arg)
{
    sem_wait(&s);
    return arg;
}

static void *takes_soon(void *arg)
{
    struct timespec soon = {1, 0};
    (void)arg;
    return (void *)(sem_timedwait(&s, &soon) == 0 ? 1L : 2L);
}

static void *cancels(void *arg)
{
    int units;
    sem_getvalue(&s, &units);
    pthread_cancel((pthread_t)arg);
    return (void *)(long)units;
}

int main(void)
{
    pthread_t other, canceller;
    void *result, *units;
    sem_init(&s, 0, 1);
    pthread_create(&other, 0, takes, 0);
    pthread_create(&timed, 0, takes_soon, 0);
    pthread_create(&canceller, 0, cancels, (void *)timed);
    pthread_join(timed, &result);
    pthread_join(canceller, &units);
    assert((long)result != 2 || (long)units != 1);
}
