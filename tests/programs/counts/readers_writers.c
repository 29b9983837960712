// N readers and M writers of one variable, each with one access. The writes are totally ordered, M! ways, and each reader falls into one of the M + 1 gaps
// between them: M! * (M + 1)^N traces.
//@ check --races ignore --cflag=-DN=2 --cflag=-DM=2: safe executions=18 blocked=0
//@ check --races ignore --cflag=-DN=4 --cflag=-DM=3: safe executions=1536 blocked=0
//@ check --races ignore --cflag=-DN=3 --cflag=-DM=4: safe executions=3000 blocked=0
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif
#ifndef M
#define M 2
#endif

static int shared;

static void *write_it(void *arg)
{
    shared = (int)(intptr_t)arg;
    return NULL;
}

static void *read_it(void *arg)
{
    (void)arg;
    return (void *)(intptr_t)shared;
}

int main(void)
{
    pthread_t threads[N + M];
    for (int n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, read_it, NULL);
    for (int m = 0; m < M; m++)
        pthread_create(&threads[N + m], NULL, write_it, (void *)(intptr_t)m);
    for (int n = 0; n < N + M; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
