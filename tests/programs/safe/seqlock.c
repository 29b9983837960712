// A sequence lock whose data are relaxed atomics between fences, as C11 wants it: a reader that saw the same even number
// before and after has a consistent pair.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int left, right;

static void *write_pair(void *arg)
{
    atomic_store_explicit(&sequence, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&left, 7, memory_order_relaxed);
    atomic_store_explicit(&right, 7, memory_order_relaxed);
    atomic_store_explicit(&sequence, 2, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_pair, NULL);
    unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
    int l = atomic_load_explicit(&left, memory_order_relaxed);
    int r = atomic_load_explicit(&right, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    unsigned after = atomic_load_explicit(&sequence, memory_order_relaxed);
    if (before == after && before % 2 == 0)
        assert(l == r);
    pthread_join(thread, NULL);
    return 0;
}
