// Two stages, each under a lock of its own: between them another thread sees the result of the first without that of the second.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug assertion
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 1 // writers
#endif


static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int data1, data2;

static void *writer(void *unused) {
    pthread_mutex_lock(&first);
    data1 = 1;
    pthread_mutex_unlock(&first);
    pthread_mutex_lock(&second);
    data2 = data1 + 1;
    pthread_mutex_unlock(&second);
    return unused;
}

static void *reader(void *unused) {
    pthread_mutex_lock(&first);
    int seen = data1;
    pthread_mutex_unlock(&first);
    if (seen == 0)
        return unused;
    pthread_mutex_lock(&second);
    int result = data2;
    pthread_mutex_unlock(&second);
    assert(result == seen + 1); //~ BUG assertion
    return unused;
}

int main(void) {
    pthread_t threads[N + 1];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, writer, 0);
    pthread_create(&threads[N], 0, reader, 0);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
