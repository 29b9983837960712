// A weak exchange may fail for no reason; inside a loop that is harmless. Without the flag it behaves like the strong one.
//@ check --strategy exhaustive: safe
//@ check --strategy random --runs 200 --weak-cas-fails: bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *increment(void *arg)
{
    int old = atomic_load_explicit(&counter, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&counter, &old, old + 1, memory_order_acq_rel, memory_order_relaxed)) {
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, increment, NULL);
    increment(NULL);
    pthread_join(thread, NULL);
    assert(atomic_load(&counter) == 2);
    return 0;
}
