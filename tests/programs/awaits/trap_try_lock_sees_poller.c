// A poller locks, looks and unlocks. While it holds the lock, main's attempt fails: the round is not without effect.
//@ check: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;

static void *polls(void *arg)
{
    int seen;
    do {
        pthread_mutex_lock(&lock);
        seen = atomic_load(&done);
        pthread_mutex_unlock(&lock);
    } while (!seen);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, polls, NULL);
    int failed = pthread_mutex_trylock(&lock);
    assert(!failed); //~ BUG assertion
    pthread_mutex_unlock(&lock);
    atomic_store(&done, 1);
    pthread_join(thread, NULL);
    return 0;
}
