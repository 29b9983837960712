// A weak exchange that main makes succeeds or fails for no reason; the worker's fails for a reason or for none. Main's success writes what the
// worker's exchange reads: 2 orders × 2 ways of the worker, and 2 ways where main fails: 6. Two threads try the same lock once each: one first, the
// other first, or one of them while the other holds it: 4. In all 24.
//@ check --weak-cas-fails: safe executions=24 blocked=0
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void try_once(void)
{
    if (pthread_mutex_trylock(&m) == 0)
        pthread_mutex_unlock(&m);
}

static void *locker(void *arg)
{
    try_once();
    return arg;
}

static void *worker(void *arg)
{
    int expected = 1;
    atomic_compare_exchange_weak(&a, &expected, 1);
    try_once();
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, locker, 0);
    pthread_create(&threads[1], 0, worker, 0);
    int expected = 0;
    atomic_compare_exchange_weak(&a, &expected, 2);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
