// Producers and consumers with two counting semaphores and a mutex: items arrive complete, no slot is used twice.
//@ check --strategy random --runs 200: bounded
//@ check --strategy pct --runs 200: bounded
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

enum { SIZE = 2, ITEMS = 2 };

static sem_t empty, full;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ring[SIZE], in, out, consumed;

static void *produce(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&empty);
        pthread_mutex_lock(&lock);
        ring[in++ % SIZE] = (int)(intptr_t)arg;
        pthread_mutex_unlock(&lock);
        sem_post(&full);
    }
    return NULL;
}

static void *consume(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&full);
        pthread_mutex_lock(&lock);
        consumed += ring[out++ % SIZE];
        pthread_mutex_unlock(&lock);
        sem_post(&empty);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[4];
    sem_init(&empty, 0, SIZE);
    sem_init(&full, 0, 0);
    pthread_create(&threads[0], NULL, produce, (void *)1);
    pthread_create(&threads[1], NULL, produce, (void *)10);
    pthread_create(&threads[2], NULL, consume, NULL);
    pthread_create(&threads[3], NULL, consume, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert(consumed == 22);
    sem_destroy(&empty);
    sem_destroy(&full);
    return 0;
}
