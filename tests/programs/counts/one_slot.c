// A producer and a consumer hand N items through one slot with a flag that each waits for in turn. Each wait is an await, which is possible only where
// the flag is right, so there is one trace.
//@ check --cflag=-DN=1: safe executions=1 blocked=0
//@ check --cflag=-DN=2: safe executions=1 blocked=0
//@ check --cflag=-DN=5: safe executions=1 blocked=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_int full;
static int slot;

static void *produce(void *arg)
{
    for (int n = 0; n < N; n++) {
        while (atomic_load(&full)) {
        }
        slot = n;
        atomic_store(&full, 1);
    }
    return arg;
}

int main(void)
{
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    for (int n = 0; n < N; n++) {
        while (!atomic_load(&full)) {
        }
        assert(slot == n);
        atomic_store(&full, 0);
    }
    pthread_join(producer, NULL);
    return 0;
}
