// The pool is freed when its work is done, but the worker looks into it once more to see that it should stop.
//@ check --strategy exhaustive --races ignore: bug use-after-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct pool {
    atomic_int done, stop;
};

static void *worker(void *arg)
{
    struct pool *pool = arg;
    atomic_store(&pool->done, 1);
    return atomic_load(&pool->stop) ? NULL : arg; //~ BUG use-after-free
}

int main(void)
{
    pthread_t thread;
    struct pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL)
        return 1;
    pthread_create(&thread, NULL, worker, pool);
    if (atomic_load(&pool->done)) {
        free(pool);
        pool = NULL;
    }
    pthread_join(thread, NULL);
    free(pool);
    return 0;
}
