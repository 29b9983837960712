// The pointer is published before the object behind it is filled: a reader sees the empty object.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy random --runs 300: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct object {
    atomic_int value;
};

static struct object storage;
static _Atomic(struct object *) published;

static void *publish(void *arg)
{
    atomic_store(&published, &storage);
    atomic_store(&storage.value, 5);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    struct object *object = atomic_load(&published);
    if (object != NULL)
        assert(atomic_load(&object->value) == 5); //~ BUG assertion
    pthread_join(thread, NULL);
    return 0;
}
