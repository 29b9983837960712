// N threads write one variable: each order of the writes is a trace of its own, N! in all.
//@ check --races ignore --cflag=-DN=3: safe executions=6 blocked=0
//@ check --races ignore --cflag=-DN=5: safe executions=120 blocked=0
//@ check --races ignore --cflag=-DN=7: safe executions=5040 blocked=0
// Nobody reads in between: it only matters whose value is left at the end, N ways.
//@ check --observers --races ignore --cflag=-DN=3: safe executions=3 blocked=0
//@ check --observers --races ignore --cflag=-DN=7: safe executions=7 blocked=0
//@ check --observers --races ignore --cflag=-DN=30: safe executions=30 blocked=0
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif

static int shared;

static void *write_it(void *arg)
{
    shared = (int)(intptr_t)arg;
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (intptr_t n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, write_it, (void *)n);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
