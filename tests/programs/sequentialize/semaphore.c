// T waits until T' has posted, after its first write of x. So T reads 1 or 2, never 0. A semaphore is no read: reading 1 takes one source.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 1: bug assertion
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static int x;
static sem_t ready;

static void *reader(void *arg)
{
    sem_wait(&ready);
    int a = x;
    assert(a != 0);
    assert(a != 1); //~ BUG assertion
    return arg;
}

static void *writer(void *arg)
{
    x = 1;
    sem_post(&ready);
    x = 2;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, reader, NULL);
    pthread_create(&u, NULL, writer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
