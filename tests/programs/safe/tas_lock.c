// A test-and-set lock: exchange until it was free.
//@ check --strategy random --runs 200: bounded
//@ check --strategy pos --runs 200: bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_bool held;
static int counter;

static void *work(void *arg)
{
    for (int i = 0; i < 2; i++) {
        while (atomic_exchange_explicit(&held, true, memory_order_acquire)) {
        }
        counter++;
        atomic_store_explicit(&held, false, memory_order_release);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 4);
    return 0;
}
