// Readers are preferred and come back twice, so the writer may wait long. Their number is finite: it gets its turn in every schedule.
//@ check --strategy random --runs 200: bounded
//@ check --strategy pos --runs 200: bounded
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t room;
static int readers, value;

static void *read_twice(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        if (++readers == 1)
            sem_wait(&room);
        pthread_mutex_unlock(&lock);
        int seen = value;
        assert(seen == 0 || seen == 9);
        pthread_mutex_lock(&lock);
        if (--readers == 0)
            sem_post(&room);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&room, 0, 1);
    pthread_create(&a, NULL, read_twice, NULL);
    pthread_create(&b, NULL, read_twice, NULL);
    sem_wait(&room);
    value = 9;
    sem_post(&room);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(value == 9);
    sem_destroy(&room);
    return 0;
}
