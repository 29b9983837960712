// Philosophers around a table, each with two rounds of taking both forks, the lower one first. They share nothing but forks, which return to
// what they were, so a few tests show all that a philosopher can do.
//@ check --races ignore --strategy unfold: safe executions=6
//@ check --races ignore --strategy stateful: safe
//@ check --races ignore --strategy stateful-naive: safe
#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static pthread_mutex_t forks[N];
static int meals[N];

static void *philosopher(void *arg)
{
    long me = (long)arg;
    long left = me, right = (me + 1) % N;
    long first = left < right ? left : right, second = left < right ? right : left;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&forks[first]);
        pthread_mutex_lock(&forks[second]);
        meals[me]++;
        pthread_mutex_unlock(&forks[second]);
        pthread_mutex_unlock(&forks[first]);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], 0);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
