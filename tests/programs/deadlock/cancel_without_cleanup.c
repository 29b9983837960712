// A thread is cancelled at a cancellation point inside its critical section; without a clean-up handler the mutex stays locked.
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_testcancel();
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock); //~ BUG deadlock
    pthread_mutex_unlock(&lock);
    return 0;
}
