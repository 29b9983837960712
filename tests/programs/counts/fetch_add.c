// N threads add to one counter atomically, R times each: every order of the additions is a trace, (N * R)! / R!^N.
//@ check --cflag=-DN=3: safe executions=6 blocked=0
//@ check --cflag=-DN=2 --cflag=-DR=3: safe executions=20 blocked=0
//@ check --cflag=-DN=3 --cflag=-DR=2: safe executions=90 blocked=0
//@ check --cflag=-DN=3 --cflag=-DR=3: safe executions=1680 blocked=0
// With symmetry the threads add in the order of their numbers.
//@ check --symmetry: safe executions=1 blocked=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif
#ifndef R
#define R 1
#endif

static atomic_int counter;

static void *add(void *arg)
{
    for (int r = 0; r < R; r++)
        atomic_fetch_add(&counter, 1);
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, add, NULL);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    assert(counter == N * R);
    return 0;
}
