// A wait with a time limit rescues the program from a signal that came too early: time-out and signal are both handled,
// and the mutex is held after either.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int events;

static void *signal_once(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    events++;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_nsec = 0;
    deadline.tv_sec += 2;
    pthread_create(&thread, NULL, signal_once, NULL);
    pthread_mutex_lock(&lock);
    int result = pthread_cond_timedwait(&cond, &lock, &deadline);
    assert(result == 0 || result == ETIMEDOUT);
    if (result == 0)
        assert(events == 1);
    events += 10;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    assert(events == 11);
    return 0;
}
