// Test and test-and-set: spin on a load, exchange only when the lock looks free, yield while it does not.
//@ check --strategy random --runs 200: bounded
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int held;
static int counter;

static void lock(void)
{
    for (;;) {
        while (atomic_load_explicit(&held, memory_order_relaxed))
            sched_yield();
        if (!atomic_exchange_explicit(&held, 1, memory_order_acquire))
            return;
    }
}

static void *work(void *arg)
{
    lock();
    counter++;
    atomic_store_explicit(&held, 0, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_create(&c, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    assert(counter == 3);
    return 0;
}
