// Three dining philosophers who take the fork with the lower number first: no cycle of waiting is possible.
//@ check --strategy random --runs 200: bounded
//@ check --strategy pct --runs 200: bounded
//@ check --strategy exhaustive --preemptions 1: bounded
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

enum { N = 3 };

static pthread_mutex_t forks[N];
static int meals[N];

static void *dine(void *arg)
{
    int me = (int)(intptr_t)arg;
    int left = me, right = (me + 1) % N;
    int low = left < right ? left : right, high = left < right ? right : left;
    pthread_mutex_lock(&forks[low]);
    pthread_mutex_lock(&forks[high]);
    meals[me]++;
    pthread_mutex_unlock(&forks[high]);
    pthread_mutex_unlock(&forks[low]);
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
    for (int i = 0; i < N; i++) {
        assert(meals[i] == 1);
        pthread_mutex_destroy(&forks[i]);
    }
    return 0;
}
