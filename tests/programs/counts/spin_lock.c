// N threads take a test-and-set lock once. An exchange that finds the lock taken is not possible, so what is left is the order in which
// they get it: N!. TTAS looks with a load before each try, and another thread can take the lock in between: `classes` finds 4 traces of two threads
// (each order, and whether the second looked before the first took the lock and came too late), and 2 that are cut off where a round had no effect.
//@ check --cflag=-DN=2: safe executions=2 blocked=0
//@ check --cflag=-DN=3: safe executions=6 blocked=0
//@ check --cflag=-DTTAS --cflag=-DN=2: safe executions=4 blocked=2
//@ check --cflag=-DTTAS --cflag=-DN=2 --strategy classes: safe executions=6 blocked=12
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_int held;
static int counter;

static void *work(void *arg)
{
#ifdef TTAS
    do {
        while (atomic_load(&held)) {
        }
    } while (atomic_exchange(&held, 1));
#else
    while (atomic_exchange(&held, 1)) {
    }
#endif
    counter++;
    atomic_store(&held, 0);
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, work, NULL);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    assert(counter == N);
    return 0;
}
