// Two threads increment by compare-and-swap and try again when they lose. Each loses at most once, because the other succeeds once only: one
// retry is enough. Traces: one after the other (2), or both load first and either exchanges first (2). With two increments each, a thread can lose twice in a row, and one retry is too few for some schedules, which does not
// hide the others.
//@ check --unroll 1: safe executions=4 blocked=0
//@ check --unroll 1 --strategy classes: safe
//@ check --unroll 2 --cflag=-DTIMES=2: safe
//@ check --unroll 1 --cflag=-DTIMES=2: bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef TIMES
#define TIMES 1
#endif

static atomic_int counter;

static void increment(void)
{
    int seen = atomic_load(&counter);
    while (!atomic_compare_exchange_strong(&counter, &seen, seen + 1)) {
    }
}

static void *work(void *arg)
{
    increment();
    if (TIMES > 1)
        increment();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    assert(counter == 2 * TIMES);
    return 0;
}
