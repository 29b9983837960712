// Two workers poll a counter of tasks under a lock until they are told to shut down. A round that finds nothing is not gone through again.
//@ check: safe
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tasks = 1, done, shutdown;

static void *work(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (tasks > 0) {
            tasks--;
            done++;
        } else if (shutdown) {
            pthread_mutex_unlock(&lock);
            return arg;
        }
        pthread_mutex_unlock(&lock);
    }
}

int main(void)
{
    pthread_t threads[2];
    for (int n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, work, NULL);
    pthread_mutex_lock(&lock);
    shutdown = 1;
    pthread_mutex_unlock(&lock);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    assert(done == 1);
    return 0;
}
