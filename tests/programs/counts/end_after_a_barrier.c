// Who comes last to the barrier goes on with something else, so what came before the end of the first thread depends on when it came. Who joins it may be cancelled.
//@ check --races ignore: safe executions=9
//@ check --races ignore --strategy exhaustive: safe
#include <pthread.h>
#include <stdatomic.h>

static pthread_t threads[4];
static atomic_int count;
static pthread_barrier_t barrier;

static void *end_or_count(void *arg)
{
    if (!pthread_barrier_wait(&barrier))
        return arg;
    count++;
    return arg;
}

static void *join(void *arg)
{
    pthread_join(threads[0], NULL);
    return arg;
}

static void *count_in_any_case(void *arg)
{
    pthread_barrier_wait(&barrier);
    count++;
    return arg;
}

static void *cancel(void *arg)
{
    pthread_cancel(threads[1]);
    return arg;
}

int main(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&threads[0], NULL, end_or_count, NULL);
    pthread_create(&threads[1], NULL, join, NULL);
    pthread_create(&threads[3], NULL, cancel, NULL);
    pthread_create(&threads[2], NULL, count_in_any_case, NULL);
    pthread_exit(NULL);
}
