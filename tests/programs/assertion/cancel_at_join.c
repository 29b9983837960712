// A join is a cancellation point even if it need not wait: the thread may be cancelled before it or not at all.
//@ check: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
static pthread_t early, joiner;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *nothing(void *unused) { return NULL; }
static void *join_it(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(early, NULL);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    return NULL;
}
int main(void) {
    void *result;
    pthread_create(&early, NULL, nothing, NULL);
    pthread_create(&joiner, NULL, join_it, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_cancel(joiner);
    pthread_join(joiner, &result);
    assert(result != PTHREAD_CANCELED); //~ BUG assertion
    return 0;
}
