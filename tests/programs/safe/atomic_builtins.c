// The __atomic builtins on plain objects, with their memory orders.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static int data, ready, hits;

static void *produce(void *arg)
{
    data = 1;
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int x = 1, y, expected = 3;
    static bool flag;
    assert(__atomic_exchange_n(&x, 3, __ATOMIC_SEQ_CST) == 1);
    assert(__atomic_compare_exchange_n(&x, &expected, 4, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    assert(__atomic_add_fetch(&x, 1, __ATOMIC_RELAXED) == 5);
    assert(__atomic_fetch_nand(&x, 1, __ATOMIC_RELAXED) == 5 && x == ~1);
    __atomic_load(&x, &y, __ATOMIC_CONSUME);
    assert(y == ~1);
    assert(!__atomic_test_and_set(&flag, __ATOMIC_ACQUIRE) && flag);
    __atomic_clear(&flag, __ATOMIC_RELEASE);
    assert(!flag);
    pthread_create(&thread, NULL, produce, NULL);
    if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        assert(data == 1);
    __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    pthread_join(thread, NULL);
    assert(__atomic_load_n(&hits, __ATOMIC_RELAXED) == 2);
    return 0;
}
