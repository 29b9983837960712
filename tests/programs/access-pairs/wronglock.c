// One thread takes another lock than the rest, so an update gets lost.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug assertion
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 1 // threads with the right lock
#endif


static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *careful(void *unused) {
    pthread_mutex_lock(&right);
    int old = value;
    value = old + 1;
    pthread_mutex_unlock(&right);
    return unused;
}

static void *careless(void *unused) {
    pthread_mutex_lock(&wrong);
    int old = value;
    value = old + 1;
    pthread_mutex_unlock(&wrong);
    return unused;
}

int main(void) {
    pthread_t threads[N + 1];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, careful, 0);
    pthread_create(&threads[N], 0, careless, 0);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], 0);
    assert(value == N + 1); //~ BUG assertion
    return 0;
}
