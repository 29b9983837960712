// A thread that detaches itself. main waits on a condition variable instead of joining.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static bool is_finished;

static void *work(void *arg)
{
    (void)arg;
    assert(pthread_detach(pthread_self()) == 0);
    pthread_mutex_lock(&lock);
    is_finished = true;
    pthread_cond_signal(&finished);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    while (!is_finished)
        pthread_cond_wait(&finished, &lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
