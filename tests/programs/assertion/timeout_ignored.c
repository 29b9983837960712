// The result of the timed wait is thrown away: after a time-out nothing is ready yet.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy random --runs 300: bug assertion
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *produce(void *arg)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 5;
    pthread_create(&thread, NULL, produce, NULL);
    pthread_mutex_lock(&lock);
    if (!ready)
        pthread_cond_timedwait(&cond, &lock, &deadline);
    assert(ready); //~ BUG assertion
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
