// A semaphore meant as a lock starts at two: two threads are inside.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t sem;
static atomic_int inside;

static void *work(void *arg)
{
    sem_wait(&sem);
    assert(atomic_fetch_add(&inside, 1) == 0); //~ BUG assertion
    atomic_fetch_sub(&inside, 1);
    sem_post(&sem);
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem_init(&sem, 0, 2);
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    return 0;
}
