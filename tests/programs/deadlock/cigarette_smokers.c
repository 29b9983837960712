// Every smoker takes the ingredients one by one as they come: two smokers hold one each and nobody has two.
//@ check --strategy random --runs 1000: bug deadlock
//@ check --strategy pos --runs 1000: bug deadlock
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

static sem_t ingredient[3], smoked;

static void *smoker(void *arg)
{
    intptr_t me = (intptr_t)arg;
    sem_wait(&ingredient[(me + 1) % 3]);
    sem_wait(&ingredient[(me + 2) % 3]);
    sem_post(&smoked);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    sem_init(&smoked, 0, 0);
    for (int i = 0; i < 3; i++)
        sem_init(&ingredient[i], 0, 0);
    for (intptr_t i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, smoker, (void *)i);
        pthread_detach(threads[i]);
    }
    sem_post(&ingredient[1]);
    sem_post(&ingredient[2]);
    sem_wait(&smoked); //~ BUG deadlock
    return 0;
}
