// main destroys the mutex before it joins the worker: the worker may hold it or may still want it.
//@ check --strategy exhaustive --keep-going: bug lock-misuse
#include <pthread.h>

static pthread_mutex_t lock;
static int value;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock); //~ BUG lock-misuse
    value = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_init(&lock, NULL);
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_destroy(&lock); //~ BUG lock-misuse
    pthread_join(thread, NULL);
    return 0;
}
