// One writer and N readers of the same variable: each reader comes before or after the write, 2^N traces.
//@ check --races ignore --cflag=-DN=4: safe executions=16 blocked=0
//@ check --races ignore --cflag=-DN=15: safe executions=32768 blocked=0
// With symmetry it only matters how many readers come before the write: 0 to N.
//@ check --symmetry --races ignore --cflag=-DN=15: safe executions=16 blocked=0
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 4
#endif

static int shared;

static void *write_it(void *arg)
{
    shared = 1;
    return arg;
}

static void *read_it(void *arg)
{
    (void)arg;
    return (void *)(intptr_t)shared;
}

int main(void)
{
    pthread_t writer, readers[N];
    pthread_create(&writer, NULL, write_it, NULL);
    for (int n = 0; n < N; n++)
        pthread_create(&readers[n], NULL, read_it, NULL);
    pthread_join(writer, NULL);
    for (int n = 0; n < N; n++)
        pthread_join(readers[n], NULL);
    return 0;
}
