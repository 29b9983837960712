// Each thread protects itself with a semaphore of its own.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>
#include <semaphore.h>

static sem_t mine, yours;
static int shared;

static void *work(void *arg)
{
    sem_wait(&yours);
    shared = 1; //~ BUG data-race
    sem_post(&yours);
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem_init(&mine, 0, 1);
    sem_init(&yours, 0, 1);
    pthread_create(&thread, NULL, work, NULL);
    sem_wait(&mine);
    shared = 2; //~ BUG data-race
    sem_post(&mine);
    pthread_join(thread, NULL);
    return 0;
}
