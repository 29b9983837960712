// The waiter looks at `filled`, the other thread sets `full`: woken or not, the waiter goes back to sleep.
// The signal is sent while the waiter waits in some schedules, and the waiter's predicate stays false in all.
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t waiting;
static int filled, full;

static void *fill(void *arg)
{
    sem_wait(&waiting);
    pthread_mutex_lock(&lock);
    full = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem_init(&waiting, 0, 0);
    pthread_create(&thread, NULL, fill, NULL);
    pthread_mutex_lock(&lock);
    sem_post(&waiting);
    while (!filled)
        pthread_cond_wait(&cond, &lock); //~ BUG deadlock
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return full - 1;
}
