// A barrier can be passed again: the second phase reads what the first wrote, and the third writes what the second read.
// Traces: who arrives last, twice.
//@ check: safe executions=4 blocked=0
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int cell;

static void *follow(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&barrier);
    assert(cell == 1);
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, follow, NULL);
    cell = 1;
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    cell = 2;
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
