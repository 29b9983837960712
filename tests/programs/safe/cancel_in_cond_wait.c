// A thread is cancelled while it waits on a condition variable. pthread_cond_wait takes the mutex again before the clean-up
// handler runs, the handler releases it, so main can lock it afterwards.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int cleaned;

static void release(void *arg)
{
    cleaned++;
    pthread_mutex_unlock(arg);
}

static void *wait_forever(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(release, &lock);
    for (;;)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, wait_forever, NULL);
    assert(pthread_cancel(thread) == 0);
    assert(pthread_join(thread, &result) == 0);
    assert(result == PTHREAD_CANCELED);
    pthread_mutex_lock(&lock);
    assert(cleaned == 1);
    pthread_mutex_unlock(&lock);
    return 0;
}
