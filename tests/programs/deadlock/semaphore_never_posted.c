// The worker posts only if it sees the flag; a worker that comes too early leaves main waiting.
//@ check: bug deadlock
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t done;
static atomic_int requested;

static void *work(void *arg)
{
    if (atomic_load(&requested))
        sem_post(&done);
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    atomic_store(&requested, 1);
    sem_wait(&done); //~ BUG deadlock
    pthread_join(thread, NULL);
    return 0;
}
