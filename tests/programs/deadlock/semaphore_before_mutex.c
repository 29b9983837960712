// The producer takes the mutex before it waits for a free slot: the consumer cannot free one (mutex and semaphore in the wrong order).
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t free_slots, items;
static int n;

static void *consume(void *arg)
{
    sem_wait(&items);
    pthread_mutex_lock(&lock); //~ BUG deadlock
    n--;
    pthread_mutex_unlock(&lock);
    sem_post(&free_slots);
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem_init(&free_slots, 0, 1);
    sem_init(&items, 0, 0);
    pthread_create(&thread, NULL, consume, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        sem_wait(&free_slots); //~ BUG deadlock
        n++;
        pthread_mutex_unlock(&lock);
        sem_post(&items);
    }
    pthread_join(thread, NULL);
    return 0;
}
