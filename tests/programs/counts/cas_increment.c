// N threads increment a counter by compare-and-swap in a retry loop; an exchange that fails has read the counter anew. The successes come in one of N!
// orders. Who succeeds as the k-th first loaded, and then failed, behind some of the k - 1 successes before its own: it looked in any subset of the
// k - 1 gaps before the last, 2^(k - 1) ways. Failed exchanges only read and do not depend on each other: N! * 2^(N * (N - 1) / 2) traces.
//@ check --cflag=-DN=2: safe executions=4 blocked=0
//@ check --cflag=-DN=3: safe executions=48 blocked=0
//@ check --cflag=-DN=4: safe executions=1536 blocked=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_int counter;

static void *increment(void *arg)
{
    int seen = atomic_load(&counter);
    while (!atomic_compare_exchange_strong(&counter, &seen, seen + 1)) {
    }
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, increment, NULL);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    assert(counter == N);
    return 0;
}
