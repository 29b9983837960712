// A barrier for three, and two come. Traces: either arrives first.
//@ check: bug deadlock executions=2 blocked=0
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>

static pthread_barrier_t barrier;

static void *arrive(void *arg)
{
    pthread_barrier_wait(&barrier); //~ BUG deadlock
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_create(&thread, NULL, arrive, NULL);
    arrive(NULL);
    pthread_join(thread, NULL);
    return 0;
}
