// The barrier orders what stands before it, not what stands after it.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>

static pthread_barrier_t barrier;
static int cell;

static void *work(void *arg)
{
    pthread_barrier_wait(&barrier);
    cell = 1; //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, work, NULL);
    pthread_barrier_wait(&barrier);
    int seen = cell; //~ BUG data-race
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
    return seen > 1;
}
