// Reference counting with acquire-release decrements: the last one to let go frees the object, nobody touches it afterwards.
//@ check --strategy exhaustive --leaks: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int value;
};

static void let_go(struct object *object)
{
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1)
        free(object);
}

static void *use(void *arg)
{
    struct object *object = arg;
    assert(object->value == 3);
    let_go(object);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct object *object = malloc(sizeof *object);
    if (object == NULL)
        return 1;
    atomic_init(&object->references, 2);
    object->value = 3;
    pthread_create(&thread, NULL, use, object);
    use(object);
    pthread_join(thread, NULL);
    return 0;
}
