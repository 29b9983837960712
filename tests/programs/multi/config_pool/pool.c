#include "pool.h"

#include <pthread.h>
#include <stdlib.h>

struct worker {
    pthread_t thread;
    int from, to, sum;
};

static void *work(void *arg)
{
    struct worker *worker = arg;
    int sum = 0;
    for (int i = worker->from; i < worker->to; i++)
        sum += i;
    worker->sum = sum;
    return NULL;
}

int run_pool(int workers, int items)
{
    int share = items / workers; //~ BUG division-by-zero
    struct worker *pool = calloc((size_t)workers, sizeof *pool);
    int sum = 0;
    if (pool == NULL)
        abort();
    for (int i = 0; i < workers; i++) {
        pool[i].from = i * share;
        pool[i].to = i == workers - 1 ? items : (i + 1) * share;
        pthread_create(&pool[i].thread, NULL, work, &pool[i]);
    }
    for (int i = 0; i < workers; i++) {
        pthread_join(pool[i].thread, NULL);
        sum += pool[i].sum;
    }
    free(pool);
    return sum;
}
