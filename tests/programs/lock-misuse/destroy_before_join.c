// main destroys the mutex before it joins the worker: the worker may hold it or may still want it. Nothing orders its use and its end: that is
// a race as well.
//@ check --strategy exhaustive --keep-going: bug data-race,lock-misuse
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
