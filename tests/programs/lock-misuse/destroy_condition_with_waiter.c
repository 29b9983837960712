// The condition variable is destroyed while a thread waits on it. The semaphore is posted under the mutex, so main destroys it
// only after the worker has gone to sleep.
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t waiting;

static void *wait_for_it(void *arg)
{
    pthread_mutex_lock(&lock);
    sem_post(&waiting);
    pthread_cond_wait(&cond, &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem_init(&waiting, 0, 0);
    pthread_create(&thread, NULL, wait_for_it, NULL);
    sem_wait(&waiting);
    pthread_mutex_lock(&lock);
    pthread_cond_destroy(&cond); //~ BUG lock-misuse
    pthread_mutex_unlock(&lock);
    return 0;
}
