// The thread is not woken in time, or cannot take the lock in time: the run shows neither.
//@ predict: bug assertion
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *waits(void *unused) {
    struct timespec until = {1000000000, 0};
    int failed = pthread_mutex_timedlock(&lock, &until);
    assert(!failed); //~ BUG assertion
    if (!is_ready)
        failed = pthread_cond_timedwait(&changed, &lock, &until);
    assert(!failed); //~ BUG assertion
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *sets(void *unused) {
    pthread_mutex_lock(&lock);
    is_ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, waits, NULL);
    pthread_create(&second, NULL, sets, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
