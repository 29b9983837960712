// A semaphore as a lock, and one path that leaves without a post. Whoever comes second waits forever if the first took that path, which only the order
// decides: the worker returns early when it comes first.
//@ check: bug deadlock
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>
#include <semaphore.h>

static sem_t lock;
static int ready;

static void *consume(void *arg)
{
    sem_wait(&lock);
    if (!ready)
        return NULL;
    ready = 0;
    sem_post(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem_init(&lock, 0, 1);
    pthread_create(&thread, NULL, consume, NULL);
    sem_wait(&lock); //~ BUG deadlock
    ready = 1;
    sem_post(&lock);
    pthread_join(thread, NULL);
    return 0;
}
