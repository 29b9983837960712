// A wait that gives up takes its lock again, and finds what others wrote meanwhile. With static facts the failure is a step of its own, and without
// them a part of the read before it.
//@ check --races ignore: bug assertion
//@ check --races ignore --facts on: bug assertion
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int x;

static void *signals(void *unused) {
    pthread_mutex_lock(&m);
    x = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *waits(void *unused) {
    struct timespec time = {0, 0};
    pthread_mutex_lock(&m);
    int result = pthread_cond_timedwait(&c, &m, &time);
    assert(result == 0 || x == 0); //~ BUG assertion
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, waits, NULL);
    pthread_create(&u, NULL, signals, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}
