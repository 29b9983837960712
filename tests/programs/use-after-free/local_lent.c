// A function lends its local to another thread and returns when that thread says so, one read too early. Run to a
// block, the reader comes first: the end of the local must count as an operation that the read can be reversed with.
//@ check: bug use-after-free
//@ check --strategy exhaustive: bug use-after-free
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

static sem_t lent, used;
static _Atomic(int *) shared;

static void lend(void)
{
    int local = 7;
    shared = &local;
    sem_post(&lent);
    sem_wait(&used);
}

static void *owner(void *arg)
{
    lend();
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
