// The time is read before the semaphore, although that is free: the reader may come after the free. Not with `--races ignore` alone: that both
// happen at the same time is a data race, too.
//@ check: bug data-race,use-after-free
//@ check --strategy exhaustive: bug data-race,use-after-free
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t semaphore;
static struct timespec *when;

static void *taker(void *argument) {
    sem_timedwait(&semaphore, when); //~ BUG use-after-free
    return argument;
}

int main(void) {
    sem_init(&semaphore, 0, 1);
    when = calloc(1, sizeof *when);
    pthread_t thread;
    pthread_create(&thread, NULL, taker, NULL);
    free(when);
    pthread_join(thread, NULL);
    return 0;
}
