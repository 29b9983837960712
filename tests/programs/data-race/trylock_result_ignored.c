// The update happens whether trylock got the mutex or not.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *add(void *arg)
{
    pthread_mutex_lock(&lock);
    total += 1; //~ BUG data-race
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    int got = pthread_mutex_trylock(&lock) == 0;
    total += 1; //~ BUG data-race
    if (got)
        pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
