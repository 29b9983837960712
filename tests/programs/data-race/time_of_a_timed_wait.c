// Another thread writes the time that a timed operation is to wait until. Whether it is valid decides what the operation does.
//@ check: bug data-race,assertion
//@ check --cflag=-DCOND: bug data-race,assertion
//@ check --cflag=-DMUTEX: bug data-race,assertion
//@ check --cflag=-DSEMAPHORE: bug data-race,assertion
//@ check --strategy exhaustive: bug data-race,assertion
//@ check --strategy exhaustive --cflag=-DCOND: bug data-race,assertion
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static struct timespec until = {0, -1};
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

static void *correct(void *arg)
{
    until.tv_nsec = 0; //~ BUG data-race
    return arg;
}

static int attempt(void)
{
#if defined COND
    pthread_mutex_lock(&mutex);
    int status = pthread_cond_timedwait(&cond, &mutex, &until);
    pthread_mutex_unlock(&mutex);
    return status;
#elif defined MUTEX
    pthread_mutex_lock(&mutex);
    return pthread_mutex_timedlock(&mutex, &until);
#elif defined SEMAPHORE
    return sem_timedwait(&semaphore, &until) == 0 ? 0 : errno;
#else
    return pthread_rwlock_timedrdlock(&rwlock, &until);
#endif
}

int main(void)
{
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, NULL, correct, NULL);
    assert(attempt() == EINVAL); //~ BUG assertion
    pthread_join(thread, NULL);
    return 0;
}
