// The error-checking mutex is a local variable, initialised by stores.
//@ check: bug data-race
//@ check --facts on: bug data-race
#define _GNU_SOURCE
#include <pthread.h>

struct shared {
    pthread_mutex_t m;
    int x;
};

void *run(void *argument) {
    struct shared *shared = argument;
    pthread_mutex_lock(&shared->m);
    pthread_mutex_lock(&shared->m);
    pthread_mutex_unlock(&shared->m);
    shared->x++; //~ BUG data-race
    pthread_mutex_unlock(&shared->m);
    return NULL;
}

int main(void) {
    struct shared shared = {PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, 0};
    pthread_t t1, t2;
    pthread_create(&t1, NULL, run, &shared);
    pthread_create(&t2, NULL, run, &shared);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
}
