// N dining philosophers, one of whom takes the forks the other way round: no deadlock, and 2^N - 2 ways to order the N pairs of neighbours.
//@ check --cflag=-DN=3: safe executions=6 blocked=0
//@ check --cflag=-DN=14: safe executions=16382 blocked=0
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t fork_of[N];

static void *dine(void *arg)
{
    int me = (int)(intptr_t)arg;
    int first = me, second = (me + 1) % N;
    if (me == N - 1) {
        first = 0;
        second = me;
    }
    pthread_mutex_lock(&fork_of[first]);
    pthread_mutex_lock(&fork_of[second]);
    pthread_mutex_unlock(&fork_of[second]);
    pthread_mutex_unlock(&fork_of[first]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int n = 0; n < N; n++)
        pthread_mutex_init(&fork_of[n], NULL);
    for (intptr_t n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, dine, (void *)n);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
