// Three threads in a ring, each of which reads its own variable and updates that of its neighbour.
//@ check --races ignore --strategy unfold --cflag=-DROUNDS=1: safe
//@ check --races ignore --strategy stateful --cflag=-DROUNDS=1: safe
//@ check --races ignore --strategy stateful-naive --cflag=-DROUNDS=1: safe
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 3
#endif
#define N 3

static int values[N];

static void *updater(void *arg)
{
    long me = (long)arg;
    for (int round = 0; round < ROUNDS; round++)
        values[(me + 1) % N] = values[me] + 1;
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, updater, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
