// The number of increments is an argument: with one thread's share of 0 nothing can overlap, with 1 an update may be lost.
//@ check --strategy exhaustive -- 0: safe
//@ check --strategy exhaustive -- 1: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static atomic_int counter;

static void *add(void *arg)
{
    for (intptr_t i = 0; i < (intptr_t)arg; i++) {
        int seen = atomic_load(&counter);
        atomic_store(&counter, seen + 1);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    intptr_t n = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&thread, NULL, add, (void *)n);
    add((void *)1);
    pthread_join(thread, NULL);
    assert(atomic_load(&counter) == n + 1); //~ BUG assertion
    return 0;
}
