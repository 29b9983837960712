// Two pollers lock, look and unlock until a flag is set. A round that finds nothing is taken back, and nobody sees it: the search ends, although there is an
// execution for every number of rounds.
//@ check: safe
//@ check --cflag=-DNEVER: bug livelock
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, n_seen;

static void *polls(void *arg)
{
    int seen;
    do {
        pthread_mutex_lock(&lock);
        seen = ready;
        pthread_mutex_unlock(&lock);
    } while (!seen);
    pthread_mutex_lock(&lock);
    n_seen++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, polls, NULL);
#ifndef NEVER
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
#endif
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    assert(n_seen == 2);
    return 0;
}
