// N pairs of threads, each pair with a variable of its own that both write: two orders for each pair, and the pairs have nothing to do with each
// other: 2^N traces.
//@ check --races ignore --cflag=-DN=2: safe executions=4 blocked=0
//@ check --races ignore --cflag=-DN=5: safe executions=32 blocked=0
//@ check --races ignore --cflag=-DN=8: safe executions=256 blocked=0
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

static int shared[N];

static void *write_it(void *arg)
{
    int me = (int)(intptr_t)arg;
    shared[me / 2] = me;
    return NULL;
}

int main(void)
{
    pthread_t threads[2 * N];
    for (intptr_t n = 0; n < 2 * N; n++)
        pthread_create(&threads[n], NULL, write_it, (void *)n);
    for (int n = 0; n < 2 * N; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
