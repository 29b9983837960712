// Nobody waits for the worker, so `main` may look before it has written. The end of the process is an event of its own: what comes before it can be
// reordered.
//@ predict --only decisions: bug assertion
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *worker(void *unused) {
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    sched_yield();
    pthread_mutex_lock(&lock);
    int seen = done;
    pthread_mutex_unlock(&lock);
    assert(seen == 1); //~ BUG assertion
    return 0;
}
