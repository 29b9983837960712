// The same with a plain flag: a data race on top of the lost signal.
//@ check --strategy exhaustive --keep-going: bug data-race,lost-signal
//@ check --strategy exhaustive --races ignore: bug lost-signal
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *produce(void *arg)
{
    ready = 1; //~ BUG data-race
    pthread_cond_signal(&cond);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, produce, NULL);
    pthread_mutex_lock(&lock);
    while (!ready) //~ BUG data-race
        pthread_cond_wait(&cond, &lock); //~ BUG lost-signal
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
