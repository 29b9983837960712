// An error-checking mutex that is locked twice is held once: after one release the second thread may enter.
//@ check: bug data-race
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int x;

static void *run(void *unused) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    x++; //~ BUG data-race
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
