// A relaxed read-modify-write continues the release sequence of the store before it: an acquire load that reads 2 synchronises
// with the release store of 1, although the 2 was written by the relaxed increment of another thread.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int stage;

static void *publish(void *arg)
{
    data = 42;
    atomic_store_explicit(&stage, 1, memory_order_release);
    return arg;
}

static void *bump(void *arg)
{
    atomic_fetch_add_explicit(&stage, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, publish, NULL);
    pthread_create(&b, NULL, bump, NULL);
    if (atomic_load_explicit(&stage, memory_order_acquire) == 2)
        assert(data == 42);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
