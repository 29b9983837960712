// Who wakes from a condition wait takes over a robust mutex whose holder has ended, and is told so. It need not wait for ever.
//@ check: safe
//@ check --strategy exhaustive: safe
//@ native
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void *signal_and_end(void *arg) {
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attr);
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, signal_and_end, 0);
    int told = 0;
    while (!ready) told = pthread_cond_wait(&c, &m);
    assert(told == EOWNERDEAD);
    pthread_mutex_consistent(&m);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
}
