// N threads write their own cell, meet at a barrier, and read their neighbour's. The barrier orders all that they write and read; what is left is
// the order in which they arrive: N! traces.
//@ check --cflag=-DN=2: safe executions=2 blocked=0
//@ check --cflag=-DN=3: safe executions=6 blocked=0
//@ check --cflag=-DN=5: safe executions=120 blocked=0
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

static pthread_barrier_t barrier;
static int cells[N], sums[N];

static void *work(void *arg)
{
    int me = (int)(intptr_t)arg;
    cells[me] = me + 1;
    pthread_barrier_wait(&barrier);
    sums[me] = cells[me] + cells[(me + 1) % N];
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    pthread_barrier_init(&barrier, NULL, N);
    for (intptr_t n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, work, (void *)n);
    int sum = 0;
    for (int n = 0; n < N; n++) {
        pthread_join(threads[n], NULL);
        sum += sums[n];
    }
    assert(sum == N * (N + 1));
    return 0;
}
