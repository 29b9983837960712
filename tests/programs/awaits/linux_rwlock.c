// A read-write lock in the manner of Linux: a counter that readers decrease by one and writers by its whole value. An attempt that fails has changed the
// counter for a while. If nobody else used the counter meanwhile, the round is dropped. If somebody did, it counts, since the other may have failed because of
// it: 222 executions. Tools that drop every round which puts back what it changed, unless a read between makes a difference, count 6, the orders of the three.
//@ check: safe executions=222 blocked=144
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef R
#define R 1
#endif
#ifndef W
#define W 2
#endif
#define WHOLE 0x100000

static atomic_int lock = WHOLE;
static int value;

static void read_lock(void)
{
    while (atomic_fetch_sub(&lock, 1) <= 0) {
        atomic_fetch_add(&lock, 1);
        while (atomic_load(&lock) <= 0) {
        }
    }
}

static void write_lock(void)
{
    while (atomic_fetch_sub(&lock, WHOLE) != WHOLE) {
        atomic_fetch_add(&lock, WHOLE);
        while (atomic_load(&lock) != WHOLE) {
        }
    }
}

static void *reader(void *arg)
{
    read_lock();
    int seen = value;
    assert(seen == value);
    atomic_fetch_add(&lock, 1);
    return arg;
}

static void *writer(void *arg)
{
    write_lock();
    value++;
    atomic_fetch_add(&lock, WHOLE);
    return arg;
}

int main(void)
{
    pthread_t readers[R], writers[W];
    for (int n = 0; n < R; n++)
        pthread_create(&readers[n], NULL, reader, NULL);
    for (int n = 0; n < W; n++)
        pthread_create(&writers[n], NULL, writer, NULL);
    for (int n = 0; n < R; n++)
        pthread_join(readers[n], NULL);
    for (int n = 0; n < W; n++)
        pthread_join(writers[n], NULL);
    assert(value == W);
    return 0;
}
