// Atomic accesses do not make an atomic increment: a load followed by a store loses updates without any data race.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy random --runs 300: bug assertion
//@ check --strategy pct --runs 300: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *increment(void *arg)
{
    int seen = atomic_load(&counter);
    atomic_store(&counter, seen + 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, increment, NULL);
    increment(NULL);
    pthread_join(thread, NULL);
    assert(atomic_load(&counter) == 2); //~ BUG assertion
    return 0;
}
