// The waiter resets the event just before it waits and so wipes out a notification that was already there.
//@ check --strategy exhaustive: bug lost-signal
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool happened;

static void *notify(void *arg)
{
    pthread_mutex_lock(&lock);
    happened = true;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, notify, NULL);
    pthread_mutex_lock(&lock);
    happened = false;
    while (!happened)
        pthread_cond_wait(&cond, &lock); //~ BUG lost-signal
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
