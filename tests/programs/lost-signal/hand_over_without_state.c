// The worker is started by a semaphore and answers by a bare signal: it may say "done" before main waits for it.
//@ check --strategy exhaustive: bug lost-signal
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static sem_t start;
static int result;

static void *compute(void *arg)
{
    sem_wait(&start);
    pthread_mutex_lock(&lock);
    result = 7;
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem_init(&start, 0, 0);
    pthread_create(&thread, NULL, compute, NULL);
    sem_post(&start);
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&done, &lock); //~ BUG lost-signal
    int seen = result;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return seen - 7;
}
