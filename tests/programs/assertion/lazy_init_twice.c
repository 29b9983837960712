// Lazy initialisation without a lock: both callers find nothing and make an instance of their own.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

static atomic_int made, instance;

static int get(void)
{
    if (atomic_load(&instance) == 0)
        atomic_store(&instance, atomic_fetch_add(&made, 1) + 1);
    return atomic_load(&made);
}

static void *use(void *arg)
{
    get();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    get();
    pthread_join(thread, NULL);
    assert(atomic_load(&made) == 1); //~ BUG assertion
    return 0;
}
