// Dining philosophers, all with the left fork in hand.
//@ check --strategy random --runs 2000: bug deadlock
//@ check --strategy pos --runs 2000: bug deadlock
//@ check --strategy exhaustive --preemptions 2 --stop-at-first: bug deadlock
//@ check --preemptions 2: bug deadlock
#include <pthread.h>
#include <stdint.h>

enum { N = 3 };

static pthread_mutex_t forks[N];

static void *dine(void *arg)
{
    intptr_t me = (intptr_t)arg;
    pthread_mutex_lock(&forks[me]);
    pthread_mutex_lock(&forks[(me + 1) % N]); //~ BUG deadlock
    pthread_mutex_unlock(&forks[(me + 1) % N]);
    pthread_mutex_unlock(&forks[me]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, dine, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
