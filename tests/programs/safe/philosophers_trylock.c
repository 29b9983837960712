// Philosophers who put the first fork back when the second is taken: no deadlock. They could repeat that for ever only under an
// unfair scheduler, so each gives up after a few attempts and that is no bug.
//@ check --strategy random --runs 200: bounded
//@ check --strategy pos --runs 200: bounded
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

enum { N = 3, ATTEMPTS = 3 };

static pthread_mutex_t forks[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *dine(void *arg)
{
    int me = (int)(intptr_t)arg;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        pthread_mutex_lock(&forks[me]);
        if (pthread_mutex_trylock(&forks[(me + 1) % N]) == 0) {
            pthread_mutex_unlock(&forks[(me + 1) % N]);
            pthread_mutex_unlock(&forks[me]);
            return NULL;
        }
        pthread_mutex_unlock(&forks[me]);
        sched_yield();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, dine, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
