// A plain atomic store by another thread ends the release sequence: an acquire load that reads it does not synchronise
// with the release store before it.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int stage;

static void *publish(void *arg)
{
    data = 42; //~ BUG data-race
    atomic_store_explicit(&stage, 1, memory_order_release);
    return arg;
}

static void *overwrite(void *arg)
{
    if (atomic_load_explicit(&stage, memory_order_relaxed) == 1)
        atomic_store_explicit(&stage, 2, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    int seen = 42;
    pthread_create(&a, NULL, publish, NULL);
    pthread_create(&b, NULL, overwrite, NULL);
    if (atomic_load_explicit(&stage, memory_order_acquire) == 2)
        seen = data; //~ BUG data-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen - 42;
}
