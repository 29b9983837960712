// The object is filled in private and its address published by a relaxed store. The private writes were never ordered before the
// reader's access: a race in C11, even though no schedule shows a wrong value.
//@ check --strategy exhaustive: bug data-race
//@ check --strategy exhaustive --races ignore: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) published;

static void *publish(void *arg)
{
    int *object = malloc(sizeof *object);
    if (object == NULL)
        abort();
    *object = 5;
    atomic_store_explicit(&published, object, memory_order_relaxed); //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    int *object = atomic_load_explicit(&published, memory_order_relaxed);
    if (object != NULL)
        assert(*object == 5); //~ BUG data-race
    pthread_join(thread, NULL);
    free(atomic_load(&published));
    return 0;
}
