// A barrier is freed while a thread waits at it, or before.
//@ check --races ignore: bug use-after-free
//@ check --races ignore --strategy exhaustive: bug use-after-free
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t *barrier;

static void *waits(void *argument) {
    pthread_barrier_wait(barrier); //~ BUG use-after-free
    return argument;
}

int main(void) {
    barrier = malloc(sizeof *barrier);
    pthread_barrier_init(barrier, 0, 2);
    pthread_t thread;
    pthread_create(&thread, 0, waits, 0);
    free(barrier);
    pthread_join(thread, 0);
}
