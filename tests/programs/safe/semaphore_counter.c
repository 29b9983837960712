// A semaphore that counts: three threads share two units, and never are three inside. With three units they can be.
//@ check: safe
//@ check --strategy exhaustive: safe
//@ check --cflag=-DUNITS=3: bug assertion
//@ check --cflag=-DUNITS=1: safe
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#ifndef UNITS
#define UNITS 2
#endif

static sem_t units;
static atomic_int inside;

static void *use(void *arg)
{
    sem_wait(&units);
    assert(atomic_fetch_add(&inside, 1) < 2);
    atomic_fetch_sub(&inside, 1);
    sem_post(&units);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&units, 0, UNITS);
    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, use, NULL);
    use(NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
