// sem_trywait never waits (EAGAIN), sem_timedwait may give up (ETIMEDOUT); the units taken are exactly the units posted.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t sem;

static void *post_once(void *arg)
{
    (void)arg;
    sem_post(&sem);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct timespec deadline;
    int taken = 0, left;
    sem_init(&sem, 0, 0);
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    pthread_create(&thread, NULL, post_once, NULL);
    if (sem_trywait(&sem) == 0)
        taken++;
    else
        assert(errno == EAGAIN);
    if (taken == 0) {
        if (sem_timedwait(&sem, &deadline) == 0)
            taken++;
        else
            assert(errno == ETIMEDOUT);
    }
    pthread_join(thread, NULL);
    sem_getvalue(&sem, &left);
    assert(taken + left == 1);
    sem_destroy(&sem);
    return 0;
}
