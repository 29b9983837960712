// The old version is freed at once, although a reader may still hold it.
//@ check --strategy exhaustive --races ignore: bug use-after-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) current;

static void *read_current(void *arg)
{
    int *version = atomic_load(&current);
    return *version == 7 ? arg : NULL; //~ BUG use-after-free
}

int main(void)
{
    pthread_t reader;
    int *old = calloc(1, sizeof *old), *new = calloc(1, sizeof *new);
    if (old == NULL || new == NULL)
        return 1;
    atomic_init(&current, old);
    pthread_create(&reader, NULL, read_current, NULL);
    atomic_store(&current, new);
    free(old);
    pthread_join(reader, NULL);
    free(new);
    return 0;
}
