// A port scanner, after fastspy: whoever closes the results looks at the count of running scanners without the lock, and closes too early if a
// scanner has not counted itself yet.
//@ predict: bug assertion,atomicity,data-race
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int running, found, closed;

static void *scan(void *unused) {
    pthread_mutex_lock(&lock);
    running++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    assert(!closed); //~ BUG assertion
    found++;
    running--;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *close_results(void *unused) {
    if (running == 0) { //~ BUG data-race
        pthread_mutex_lock(&lock);
        closed = 1;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t scanner, closer;
    pthread_create(&scanner, NULL, scan, NULL);
    pthread_create(&closer, NULL, close_results, NULL);
    pthread_join(scanner, NULL);
    pthread_join(closer, NULL);
    return 0;
}
