// A waiter that gives up after two looks: each of its looks comes before or after the store. It looks once or twice and succeeds, or twice in vain:
// 3 executions.
//@ check: safe executions=3 blocked=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;

static void *stores(void *arg)
{
    atomic_store(&ready, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int looks = 0;
    pthread_create(&thread, NULL, stores, NULL);
    while (looks < 2 && !atomic_load(&ready))
        looks++;
    pthread_join(thread, NULL);
    assert(looks <= 2);
    return 0;
}
