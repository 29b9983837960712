// Main joins a thread while it holds the lock that the thread wants: main waits for the thread's end, the thread for main.
//@ check: bug deadlock
//@ check --strategy interference: bug deadlock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock); //~ BUG deadlock
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&lock);
    pthread_join(thread, 0); //~ BUG deadlock
    pthread_mutex_unlock(&lock);
    return 0;
}
