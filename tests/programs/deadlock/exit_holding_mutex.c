// A thread ends without releasing its mutex. A mutex that is not robust stays locked for ever.
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_exit(arg);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock); //~ BUG deadlock
    pthread_mutex_unlock(&lock);
    return 0;
}
