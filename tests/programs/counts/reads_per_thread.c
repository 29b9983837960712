// One writer with W writes and N readers with R reads each of one variable, W = 1 unless told. A reader's R reads fall in order into the W + 1 gaps that
// the writes leave: C(R + W, W) ways, and the readers do not depend on each other: C(R + W, W)^N traces, (R + 1)^N with one write.
//@ check --races ignore --cflag=-DN=2 --cflag=-DR=3: safe executions=16 blocked=0
//@ check --races ignore --cflag=-DN=2 --cflag=-DR=3 --cflag=-DW=2: safe executions=100 blocked=0
//@ check --races ignore --cflag=-DN=4 --cflag=-DR=7: safe executions=4096 blocked=0
//@ check --races ignore --cflag=-DN=5 --cflag=-DR=6: safe executions=16807 blocked=0
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif
#ifndef R
#define R 3
#endif
#ifndef W
#define W 1
#endif

static int shared;

static void *write_it(void *arg)
{
    for (int w = 0; w < W; w++)
        shared = w;
    return arg;
}

static void *read_it(void *arg)
{
    int sum = 0;
    (void)arg;
    for (int r = 0; r < R; r++)
        sum += shared;
    return (void *)(intptr_t)sum;
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
