// main destroys the semaphore as soon as it got its unit, while a second worker has still to post: with nothing to order them, a race as well.
//@ check --strategy exhaustive --keep-going: bug data-race,lock-misuse
#include <pthread.h>
#include <semaphore.h>

static sem_t done;

static void *work(void *arg)
{
    sem_post(&done); //~ BUG lock-misuse
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&done, 0, 0);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    sem_wait(&done);
    sem_destroy(&done);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
