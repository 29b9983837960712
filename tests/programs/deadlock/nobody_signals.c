// The predicate becomes true but nobody says so: if the waiter was first, it waits forever.
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *produce(void *arg)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, produce, NULL);
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&cond, &lock); //~ BUG deadlock
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
