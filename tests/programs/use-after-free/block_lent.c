// As local_lent.c, but what ends is a block of the owner's function.
//@ check: bug use-after-free
//@ check --strategy exhaustive: bug use-after-free
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

static sem_t lent, used, finished;
static _Atomic(int *) shared;

static void *owner(void *arg)
{
    {
        int local = 7;
        shared = &local;
        sem_post(&lent);
        sem_wait(&used);
    }
    sem_wait(&finished);
    return arg;
}

static void *reader(void *arg)
{
    sem_wait(&lent);
    int *borrowed = shared;
    sem_post(&used);
    int value = *borrowed; //~ BUG use-after-free
    sem_post(&finished);
    return value == 7 ? arg : NULL;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&lent, 0, 0);
    sem_init(&used, 0, 0);
    sem_init(&finished, 0, 0);
    pthread_create(&threads[0], NULL, owner, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
