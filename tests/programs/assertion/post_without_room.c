// Of two posts to a semaphore that has room for one, either may be the one that fails.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy dpor: bug assertion
//@ check --strategy dpor-classic: bug assertion
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

static void *first(void *arg)
{
    assert(sem_post(&s) == 0);
    return arg;
}

static void *second(void *arg)
{
    sem_post(&s);
    return arg;
}

int main(void)
{
    sem_init(&s, 0, SEM_VALUE_MAX - 1);
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
