// Whether the condition variable was freed before or after the thread came to the wait, the same operation is pending.
//@ check --races ignore: bug use-after-free
//@ check --races ignore --strategy exhaustive: bug use-after-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(pthread_cond_t *) published;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const struct timespec soon = {1, 0};

static void *waiter(void *argument) {
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(published, &mutex, &soon); //~ BUG use-after-free
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_cond_t *condition = malloc(sizeof *condition);
    pthread_cond_init(condition, NULL);
    published = condition;
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    free(condition);
    pthread_join(thread, NULL);
    return 0;
}
