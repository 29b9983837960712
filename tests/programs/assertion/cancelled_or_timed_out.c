// A thread is cancelled while it waits: before the time is up, or too late.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int is_waiting;

static void unlock(void *arg)
{
    pthread_mutex_unlock(arg);
}

static void *waits(void *arg)
{
    struct timespec until = {1, 0};
    pthread_mutex_lock(&lock);
    is_waiting = 1;
    pthread_cleanup_push(unlock, &lock);
    pthread_cond_timedwait(&never, &lock, &until);
    pthread_cleanup_pop(1);
    return arg;
}

static void *cancels(void *arg)
{
    pthread_mutex_lock(&lock);
    int cancel = is_waiting;
    pthread_mutex_unlock(&lock);
    if (cancel)
        pthread_cancel(*(pthread_t *)arg);
    return NULL;
}

int main(void)
{
    pthread_t waiter, canceller;
    void *result;
    pthread_create(&waiter, NULL, waits, NULL);
    pthread_create(&canceller, NULL, cancels, &waiter);
    pthread_join(waiter, &result);
    assert(result != PTHREAD_CANCELED); //~ BUG assertion
    pthread_join(canceller, NULL);
    return 0;
}
