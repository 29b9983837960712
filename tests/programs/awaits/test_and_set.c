// N threads take a lock once: N! orders in which they get it, and no attempt that fails is a step. With a load before each attempt (TTAS) two threads
// may both have seen the lock free: the exchange of the later one fails, and its round is in vain. Such executions are dropped; of the others there
// are 576 for four threads, as other tools count them.
//@ check --cflag=-DEXCHANGE: safe executions=24 blocked=0
//@ check --cflag=-DSWAP: safe executions=24 blocked=0
//@ check --cflag=-DFLAG: safe executions=24 blocked=0
//@ check --cflag=-DTRY: safe executions=24 blocked=0
//@ check --cflag=-DSPIN_TRY: safe executions=24 blocked=0
//@ check --cflag=-DTTAS: safe executions=576
//@ check --cflag=-DTTAS --cflag=-DN=3: safe executions=36
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifndef N
#define N 4
#endif

static int counter;
#ifdef TRY
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
#elif defined SPIN_TRY
static pthread_spinlock_t held;
#elif defined FLAG
static atomic_flag held = ATOMIC_FLAG_INIT;
#else
static atomic_int held;
#endif

static void take(void)
{
#ifdef EXCHANGE
    while (atomic_exchange(&held, 1)) {
    }
#elif defined SWAP
    int expected = 0;
    while (!atomic_compare_exchange_strong(&held, &expected, 1))
        expected = 0;
#elif defined FLAG
    while (atomic_flag_test_and_set(&held))
        sched_yield();
#elif defined TRY
    while (pthread_mutex_trylock(&held) != 0)
        sched_yield();
#elif defined SPIN_TRY
    while (pthread_spin_trylock(&held) != 0) {
    }
#else
    do {
        while (atomic_load(&held)) {
        }
    } while (atomic_exchange(&held, 1));
#endif
}

static void give_up(void)
{
#ifdef FLAG
    atomic_flag_clear(&held);
#elif defined TRY
    pthread_mutex_unlock(&held);
#elif defined SPIN_TRY
    pthread_spin_unlock(&held);
#else
    atomic_store(&held, 0);
#endif
}

static void *work(void *arg)
{
    take();
    counter++;
    give_up();
    return arg;
}

int main(void)
{
    pthread_t threads[N];
#ifdef SPIN_TRY
    pthread_spin_init(&held, 0);
#endif
    for (int n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, work, NULL);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    assert(counter == N);
    return 0;
}
