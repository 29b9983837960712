// Two semaphores pass the turn to and fro: T' writes 2 only after T has read, so the sum cannot be wrong.
//@ check --races ignore: safe
//@ check --races ignore --strategy sequentialize: bounded
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static int x;
static sem_t full, empty;

static void *reader(void *arg)
{
    sem_wait(&full);
    int a = x;
    sem_post(&empty);
    sem_wait(&full);
    assert(a == 1 && x == 2);
    return arg;
}

static void *writer(void *arg)
{
    x = 1;
    sem_post(&full);
    sem_wait(&empty);
    x = 2;
    sem_post(&full);
    return arg;
}

int main(void)
{
    pthread_t t, u;
    sem_init(&full, 0, 0);
    sem_init(&empty, 0, 0);
    pthread_create(&t, NULL, reader, NULL);
    pthread_create(&u, NULL, writer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
