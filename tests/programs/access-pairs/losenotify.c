// The signal may come before the wait, and nobody remembers it.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug lost-signal
#include <pthread.h>

#ifndef N
#define N 1 // rounds before the signal
#endif


static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int work;

static void *waiter(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&ready, &lock); //~ BUG lost-signal
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *notifier(void *unused) {
    for (int i = 1; i < N; i++) {
        pthread_mutex_lock(&lock);
        work++;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, waiter, 0);
    pthread_create(&t2, 0, notifier, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
