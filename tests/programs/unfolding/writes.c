// Threads that only write. Nobody reads, so no thread ever does anything else, and one test shows all of it.
//@ check --races ignore --cflag=-DN=2 --cflag=-DROUNDS=2: safe executions=6
//@ check --races ignore --strategy unfold --cflag=-DN=2 --cflag=-DROUNDS=2: safe executions=6
//@ check --races ignore --strategy stateful: safe executions=1
//@ check --races ignore --strategy stateful-naive: safe executions=1
#include <pthread.h>

#ifndef N
#define N 4
#endif
#ifndef ROUNDS
#define ROUNDS 4
#endif

static int shared;

static void *writer(void *arg)
{
    for (int round = 0; round < ROUNDS; round++)
        shared = (int)(long)arg * ROUNDS + round;
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, writer, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
