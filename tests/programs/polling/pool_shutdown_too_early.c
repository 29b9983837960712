// The same, but a worker looks at `shutdown` first: tasks are left undone. The smallest bound on rounds shows it.
//@ check: bug assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tasks = 1, done, shutdown;

static void *work(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (shutdown) {
            pthread_mutex_unlock(&lock);
            return arg;
        }
        if (tasks > 0) {
            tasks--;
            done++;
        }
        pthread_mutex_unlock(&lock);
    }
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    shutdown = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    assert(done == 1); //~ BUG assertion
    return 0;
}
