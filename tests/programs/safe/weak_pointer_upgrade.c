// A weak pointer becomes a strong one only while the strong count is not zero, decided by compare-and-swap:
// the object is freed once and never used after.
//@ check --strategy exhaustive --leaks: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static atomic_int strong = 1;
static int *object;

static bool upgrade(void)
{
    int count = atomic_load(&strong);
    while (count != 0)
        if (atomic_compare_exchange_strong(&strong, &count, count + 1))
            return true;
    return false;
}

static void drop(void)
{
    if (atomic_fetch_sub(&strong, 1) == 1)
        free(object);
}

static void *owner(void *arg)
{
    drop();
    return arg;
}

int main(void)
{
    pthread_t thread;
    object = malloc(sizeof *object);
    if (object == NULL)
        return 1;
    *object = 8;
    pthread_create(&thread, NULL, owner, NULL);
    if (upgrade()) {
        assert(*object == 8);
        drop();
    }
    pthread_join(thread, NULL);
    return 0;
}
