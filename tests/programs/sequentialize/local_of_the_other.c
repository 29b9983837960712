// T uses a local variable of T' before the function of T' returns, which two semaphores see to. Returning is no event, so a sequential program
// cannot tell that from a use after free and refuses it.
//@ check --races ignore: safe
//@ check --races ignore --strategy sequentialize: inconclusive message="a local variable of another one"
#include <pthread.h>
#include <semaphore.h>

static int *volatile p;
static sem_t is_there, is_used;

static void *owner(void *arg)
{
    int local = 5;
    p = &local;
    sem_post(&is_there);
    sem_wait(&is_used);
    return arg;
}

static void *user(void *arg)
{
    sem_wait(&is_there);
    *p = 1;
    sem_post(&is_used);
    return arg;
}

int main(void)
{
    pthread_t o, u;
    sem_init(&is_there, 0, 0);
    sem_init(&is_used, 0, 0);
    pthread_create(&o, 0, owner, 0);
    pthread_create(&u, 0, user, 0);
    pthread_join(o, 0);
    pthread_join(u, 0);
    return 0;
}
