// A reader keeps its read lock while it waits for a result that a writer can produce only under the write lock.
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>
#include <semaphore.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static sem_t computed;
static int value;

static void *compute(void *arg)
{
    pthread_rwlock_wrlock(&table); //~ BUG deadlock
    value = 1;
    pthread_rwlock_unlock(&table);
    sem_post(&computed);
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem_init(&computed, 0, 0);
    pthread_create(&thread, NULL, compute, NULL);
    pthread_rwlock_rdlock(&table);
    if (value == 0)
        sem_wait(&computed); //~ BUG deadlock
    pthread_rwlock_unlock(&table);
    pthread_join(thread, NULL);
    return 0;
}
