// The barrier is destroyed although one thread waits at it, or has still to come.
//@ check --strategy exhaustive --keep-going: bug lock-misuse
#include <pthread.h>

static pthread_barrier_t barrier;

static void *arrive(void *arg)
{
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, arrive, NULL);
    pthread_barrier_destroy(&barrier); //~ BUG lock-misuse
    pthread_join(thread, NULL);
    return 0;
}
