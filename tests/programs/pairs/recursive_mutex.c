// A recursive mutex that is locked twice and released once is still held.
//@ check: safe
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int x;

static void *run(void *unused) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, run, 0);
    pthread_create(&t2, 0, run, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
