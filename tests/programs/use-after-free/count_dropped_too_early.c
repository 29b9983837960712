// The reference is dropped before the last use of the object.
//@ check --strategy exhaustive --races ignore: bug use-after-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    int value;
};

static atomic_int references = 2;

static void let_go(struct object *object)
{
    if (atomic_fetch_sub(&references, 1) == 1)
        free(object);
}

static void *owner(void *arg)
{
    let_go(arg);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct object *object = calloc(1, sizeof *object);
    if (object == NULL)
        return 1;
    pthread_create(&thread, NULL, owner, object);
    if (atomic_fetch_sub(&references, 1) == 1)
        free(object);
    else
        object->value = 1; //~ BUG use-after-free
    pthread_join(thread, NULL);
    return 0;
}
