// A program like `art`, which was made up to see how con2colic testing copes with more threads (Farzan, Holzer, Razavi and Veith, 2013): every
// thread brings another assertion. Here a baton goes from thread to thread: thread K passes it on to the next if it reads that the baton is at K,
// and its assertion fails if nobody took it further.
// THREADS threads, no inputs. Assertion K needs K interferences: threads 1 to K have read what the one before wrote.
//@ check --cflag=-DTHREADS=2: bug assertion executions=2 blocked=0
//@ check --cflag=-DTHREADS=3: bug assertion executions=6
//@ check --cflag=-DTHREADS=4: bug assertion executions=19
//@ check --cflag=-DTHREADS=5: bug assertion executions=67
//@ check --cflag=-DTHREADS=8: bug assertion executions=7219
//@ check --cflag=-DTHREADS=2 --strategy interference: bug assertion executions=5
//@ check --cflag=-DTHREADS=3 --strategy interference: bug assertion executions=9
//@ check --cflag=-DTHREADS=4 --strategy interference: bug assertion executions=13
//@ check --cflag=-DTHREADS=5 --strategy interference: bug assertion executions=17
//@ check --cflag=-DTHREADS=8 --strategy interference: bug assertion executions=29
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef THREADS
#define THREADS 4
#endif

static atomic_int baton;

#define RUNNER(K)                                                                                                      \
    static void *runner_##K(void *arg)                                                                                 \
    {                                                                                                                  \
        if (baton == K) {                                                                                              \
            baton = K + 1;                                                                                             \
            assert(K == 0 || baton != K + 1);                                                                          \
        }                                                                                                              \
        return arg;                                                                                                    \
    }

RUNNER(0)
RUNNER(1) //~ BUG assertion
RUNNER(2)
RUNNER(3)
RUNNER(4)
RUNNER(5)
RUNNER(6)
RUNNER(7)

static void *(*const runners[])(void *) = {runner_0, runner_1, runner_2, runner_3, runner_4, runner_5, runner_6, runner_7};

int main(void)
{
    pthread_t threads[THREADS];
    for (int n = 0; n < THREADS; n++)
        pthread_create(&threads[n], NULL, runners[n], NULL);
    for (int n = 0; n < THREADS; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
