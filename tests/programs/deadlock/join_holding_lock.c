// main joins a worker while it holds the lock that the worker needs to finish.
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock); //~ BUG deadlock
    result = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    if (result == 0)
        pthread_join(thread, NULL); //~ BUG deadlock
    pthread_mutex_unlock(&lock);
    return 0;
}
