// One writer makes W updates under a sequence counter, N readers each read a consistent pair, trying again as long as they are disturbed. A reader
// sees the values after one of the W + 1 updates: so many complete traces. Those in which a round was disturbed after more than its first look are cut off at
// the end of the round: 8 for one update and 32 for two, as `classes` counts them. Readers do not depend on each other: (2 + 8)^N with one
// update, of which 2^N are complete.
//@ check: safe executions=2 blocked=8
//@ check --strategy classes: safe executions=2 blocked=34
//@ check --cflag=-DW=2: safe executions=3 blocked=32
//@ check --cflag=-DW=2 --strategy classes: safe executions=3 blocked=198
//@ check --cflag=-DN=2: safe executions=4 blocked=96
//@ check --cflag=-DN=3: safe executions=8 blocked=992
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 1
#endif
#ifndef W
#define W 1
#endif

static atomic_int sequence, left, right;

static void *write_both(void *arg)
{
    for (int w = 1; w <= W; w++) {
        atomic_fetch_add(&sequence, 1);
        atomic_store(&left, w);
        atomic_store(&right, w);
        atomic_fetch_add(&sequence, 1);
    }
    return arg;
}

static void *read_both(void *arg)
{
    int before, a, b;
    do {
        while ((before = atomic_load(&sequence)) & 1) {
        }
        a = atomic_load(&left);
        b = atomic_load(&right);
    } while (atomic_load(&sequence) != before);
    assert(a == b);
    return arg;
}

int main(void)
{
    pthread_t writer, readers[N];
    pthread_create(&writer, NULL, write_both, NULL);
    for (int n = 0; n < N; n++)
        pthread_create(&readers[n], NULL, read_both, NULL);
    pthread_join(writer, NULL);
    for (int n = 0; n < N; n++)
        pthread_join(readers[n], NULL);
    return 0;
}
