// Every generic operation of <stdatomic.h> once, with its result checked; the second thread only adds concurrency to one counter.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_uint cell = 5;
static atomic_int shared;

static void single_threaded(void)
{
    unsigned expected = 6;
    assert(atomic_load(&cell) == 5);
    assert(atomic_exchange(&cell, 12) == 5);
    assert(atomic_fetch_add(&cell, 3) == 12);
    assert(atomic_fetch_sub(&cell, 5) == 15);
    assert(atomic_fetch_or(&cell, 5) == 10);
    assert(atomic_fetch_and(&cell, 6) == 15);
    assert(atomic_fetch_xor(&cell, 3) == 6);
    assert(!atomic_compare_exchange_strong(&cell, &expected, 1));
    assert(expected == 5); /* a failing exchange says what it found */
    assert(atomic_compare_exchange_strong(&cell, &expected, 9));
    assert(atomic_is_lock_free(&cell));
    atomic_init(&cell, 0);
    assert(atomic_fetch_sub_explicit(&cell, 1, memory_order_relaxed) == 0);
    assert(cell == 0xffffffffu);
    cell += 2; /* the operators are atomic as well */
    assert(cell-- == 1);
}

static void *add(void *arg)
{
    atomic_fetch_add_explicit(&shared, 1, memory_order_acq_rel);
    return arg;
}

int main(void)
{
    pthread_t thread;
    single_threaded();
    pthread_create(&thread, NULL, add, NULL);
    shared++;
    pthread_join(thread, NULL);
    assert(atomic_load_explicit(&shared, memory_order_acquire) == 2);
    return 0;
}
