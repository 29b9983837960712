// An error-checking mutex is locked again under another name, which fails; one release sets it free all the same. So `x` is not protected after it.
//@ check: bug data-race
//@ check --facts on: bug data-race
//@ check --strategy value-schedule: bug data-race
#define _GNU_SOURCE
#include <pthread.h>

pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t *names[2] = {&m, &other};
int x;

void *run(void *which) {
    pthread_mutex_lock(&m);
    pthread_mutex_t *again = names[*(int *)which];
    pthread_mutex_lock(again);
    pthread_mutex_unlock(again);
    x++; //~ BUG data-race
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    static int which = 0;
    pthread_t t1, t2;
    pthread_create(&t1, NULL, run, &which);
    pthread_create(&t2, NULL, run, &which);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
}
