// A receiver waits for a message with time-outs, and looks again after each.
//@ check: bounded
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int message;

static void *receives(void *arg)
{
    struct timespec soon = {1, 0};
    pthread_mutex_lock(&lock);
    while (!message)
        pthread_cond_timedwait(&arrived, &lock, &soon);
    assert(message == 7);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, receives, NULL);
    pthread_mutex_lock(&lock);
    message = 7;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
