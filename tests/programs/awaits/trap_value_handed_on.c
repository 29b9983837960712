// A compare-and-swap that fails hands on what it read, so its round is no waiting: the other thread adds between the load and the swap. Three
// orders: before the load, between, after the swap.
//@ check: bug assertion executions=3 blocked=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int c;

static void *adds(void *arg)
{
    atomic_fetch_add(&c, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, adds, NULL);
    int e = atomic_load(&c), first = e;
    while (!atomic_compare_exchange_strong(&c, &e, e + 1)) {
    }
    assert(first == e); //~ BUG assertion
    pthread_join(thread, NULL);
    return 0;
}
