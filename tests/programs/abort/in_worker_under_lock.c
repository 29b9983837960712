// A worker aborts while it holds a lock: the abort is the finding, not the main thread that would wait for the lock.
//@ check --strategy exhaustive --keep-going: bug abort
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int withdrawn;

static void *withdraw(void *arg)
{
    pthread_mutex_lock(&lock);
    if (withdrawn)
        abort(); //~ BUG abort
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, withdraw, NULL);
    pthread_mutex_lock(&lock);
    withdrawn = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
