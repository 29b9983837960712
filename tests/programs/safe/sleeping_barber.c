// The sleeping barber with two chairs: a customer who finds no chair leaves, every other is served exactly once.
//@ check --strategy random --runs 200: bounded
//@ check --strategy pct --runs 200: bounded
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

enum { CHAIRS = 2, CUSTOMERS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t customers, barber;
static int waiting, turned_away, served;
static bool closed;

static void *cut_hair(void *arg)
{
    for (;;) {
        sem_wait(&customers);
        pthread_mutex_lock(&lock);
        if (waiting == 0 && closed) {
            pthread_mutex_unlock(&lock);
            return arg;
        }
        waiting--;
        served++;
        pthread_mutex_unlock(&lock);
        sem_post(&barber);
    }
}

static void *visit(void *arg)
{
    pthread_mutex_lock(&lock);
    if (waiting == CHAIRS) {
        turned_away++;
        pthread_mutex_unlock(&lock);
        return arg;
    }
    waiting++;
    pthread_mutex_unlock(&lock);
    sem_post(&customers);
    sem_wait(&barber);
    return arg;
}

int main(void)
{
    pthread_t shop, threads[CUSTOMERS];
    sem_init(&customers, 0, 0);
    sem_init(&barber, 0, 0);
    pthread_create(&shop, NULL, cut_hair, NULL);
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_create(&threads[i], NULL, visit, NULL);
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&lock);
    closed = true;
    pthread_mutex_unlock(&lock);
    sem_post(&customers);
    pthread_join(shop, NULL);
    assert(served + turned_away == CUSTOMERS && served >= CHAIRS);
    return 0;
}
