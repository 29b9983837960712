// Load buffering: both reads 1 would need each read to follow the other thread's later write, a cycle that no interleaving has.
// (C11's relaxed order would allow it; the machine is sequentially consistent and says so.)
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int from_x, from_y;

static void *other(void *arg)
{
    from_x = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    from_y = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    pthread_join(thread, NULL);
    assert(!(from_x == 1 && from_y == 1));
    return 0;
}
