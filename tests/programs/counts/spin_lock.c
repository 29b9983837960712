// N threads take a test-and-set lock once. They get it in one of N! orders; who gets it as the k-th tried in vain while one of the k - 1 before held it, or
// not at all. It tries in vain once only, because to whoever waits for a change one holder is like another. An exchange counts as a write even if it
// leaves what was there, so two that try in vain while the same thread holds it come in one of two orders: 2 * 2 for two threads, 36 + 3! for three,
// which `classes` confirms. TTAS looks with a load before each try: `classes` tries all 48 schedules of two threads and finds 10 traces.
//@ check --cflag=-DN=2: safe executions=4 blocked=0
//@ check --cflag=-DN=3: safe executions=42 blocked=0
//@ check --cflag=-DTTAS --cflag=-DN=2: safe executions=10 blocked=0
//@ check --cflag=-DTTAS --cflag=-DN=2 --strategy classes: safe executions=48 blocked=0
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
