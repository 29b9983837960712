// A sequence lock with W writers that take it by compare-and-swap, and N readers. The writers come in one of W! orders, and each reader sees what is
// left before, between or after them: 2! * 3^2 = 18 complete executions. A reader that was disturbed after its first look, and a writer whose swap came too
// late, have gone a round in vain: these executions are dropped.
//@ check --cflag=-DN=1: safe executions=6
//@ check: safe executions=18
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef W
#define W 2
#endif

static atomic_int sequence, left, right;

static void *write_both(void *arg)
{
    int seen;
    do {
        while ((seen = atomic_load(&sequence)) & 1) {
        }
    } while (!atomic_compare_exchange_strong(&sequence, &seen, seen + 1));
    atomic_store(&left, seen + 1);
    atomic_store(&right, seen + 1);
    atomic_store(&sequence, seen + 2);
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
    pthread_t writers[W], readers[N];
    for (int n = 0; n < W; n++)
        pthread_create(&writers[n], NULL, write_both, NULL);
    for (int n = 0; n < N; n++)
        pthread_create(&readers[n], NULL, read_both, NULL);
    for (int n = 0; n < W; n++)
        pthread_join(writers[n], NULL);
    for (int n = 0; n < N; n++)
        pthread_join(readers[n], NULL);
    return 0;
}
