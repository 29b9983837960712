// main keeps the lock and polls, asleep in between, for what the worker would do under that lock. The worker waits for the lock for ever, so this is no
// mere sleep: nobody can go on.
//@ check: bug livelock
//@ check --strategy exhaustive: bug livelock
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;

static void *prepare(void *arg)
{
    pthread_mutex_lock(&lock);
    atomic_store(&ready, 1);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    const struct timespec while_ = {0, 1000000};
    pthread_t worker;
    pthread_mutex_lock(&lock);
    pthread_create(&worker, NULL, prepare, NULL);
    while (!atomic_load(&ready)) //~ BUG livelock
        nanosleep(&while_, NULL);
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
    return 0;
}
