// A timed lock of a held mutex refuses a bad time at once instead of waiting.
//@ check: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *unused) {
    struct timespec bad = {1, 2000000000};
    assert(pthread_mutex_timedlock(&mutex, &bad) == EINVAL);
    return NULL;
}
int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, other, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&mutex);
    return 0;
}
