// trylock either gets the mutex or says EBUSY without waiting; the counter counts exactly the successes.
// Traces: one after the other (2), or one tries while the other holds the lock (2).
//@ check: safe executions=4 blocked=0
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *try_increment(void *arg)
{
    (void)arg;
    int result = pthread_mutex_trylock(&lock);
    if (result == 0) {
        counter++;
        pthread_mutex_unlock(&lock);
        return (void *)1;
    }
    assert(result == EBUSY);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *other;
    pthread_create(&thread, NULL, try_increment, NULL);
    intptr_t mine = (intptr_t)try_increment(NULL);
    pthread_join(thread, &other);
    assert(counter >= 1);
    assert(counter == mine + (intptr_t)other);
    return 0;
}
