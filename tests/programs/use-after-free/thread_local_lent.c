// As local_lent.c, but what ends is a thread-local, with its thread.
//@ check: bug use-after-free message="after its thread has ended"
//@ check --strategy exhaustive: bug use-after-free
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

static sem_t lent, used;
static _Thread_local int own;
static _Atomic(int *) shared;

static void *owner(void *arg)
{
    own = 7;
    shared = &own;
    sem_post(&lent);
    sem_wait(&used);
    return arg;
}

static void *reader(void *arg)
{
    sem_wait(&lent);
    int *borrowed = shared;
    sem_post(&used);
    return *borrowed == 7 ? arg : NULL; //~ BUG use-after-free
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&lent, 0, 0);
    sem_init(&used, 0, 0);
    pthread_create(&threads[0], NULL, owner, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
