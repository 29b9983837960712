// Two threads wait on one condition variable with different mutexes at the same time: undefined by POSIX.
// The semaphore makes the first wait begin before the second.
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t waiting;

static void *wait_with_first(void *arg)
{
    pthread_mutex_lock(&first);
    sem_post(&waiting);
    pthread_cond_wait(&cond, &first);
    pthread_mutex_unlock(&first);
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem_init(&waiting, 0, 0);
    pthread_create(&thread, NULL, wait_with_first, NULL);
    sem_wait(&waiting);
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    pthread_mutex_lock(&second);
    pthread_cond_wait(&cond, &second); //~ BUG lock-misuse
    pthread_mutex_unlock(&second);
    return 0;
}
