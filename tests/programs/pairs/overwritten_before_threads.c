// The lock is overwritten while main holds it and is alone, so main does not hold it when there is a second thread.
//@ check: bug data-race
//@ check --facts on: bug data-race
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *adds(void *unused) {
    pthread_mutex_lock(&m);
    x++; //~ BUG data-race
    pthread_mutex_unlock(&m);
    return unused;
}

static void reset(pthread_mutex_t *mutex) {
    memset(mutex, 0, sizeof *mutex);
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    reset(&m);
    pthread_create(&t, NULL, adds, NULL);
    x++; //~ BUG data-race
    pthread_join(t, NULL);
    return 0;
}
