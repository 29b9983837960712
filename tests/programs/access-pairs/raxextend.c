// Many workers book under a lock. Two threads extend a table without it, and one of the extensions gets lost.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug assertion
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 9 // workers with the lock
#endif


static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int booked, size;

static void *book(void *unused) {
    pthread_mutex_lock(&lock);
    booked++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *extend(void *unused) {
    int old = size;
    pthread_mutex_lock(&lock);
    booked++;
    pthread_mutex_unlock(&lock);
    size = old + 1;
    return unused;
}

int main(void) {
    pthread_t threads[N + 2];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, book, 0);
    pthread_create(&threads[N], 0, extend, 0);
    pthread_create(&threads[N + 1], 0, extend, 0);
    for (int i = 0; i < N + 2; i++)
        pthread_join(threads[i], 0);
    assert(size == 2); //~ BUG assertion
    return 0;
}
