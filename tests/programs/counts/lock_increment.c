// N threads increment a counter under one lock, R times each: the orders in which they get the lock, (N * R)! / R!^N, N! with one round. What the lock
// orders costs nothing more.
//@ check --cflag=-DN=4: safe executions=24 blocked=0
//@ check --cflag=-DN=8: safe executions=40320 blocked=0
//@ check --cflag=-DN=2 --cflag=-DR=3: safe executions=20 blocked=0
//@ check --cflag=-DN=4 --cflag=-DR=2: safe executions=2520 blocked=0
// With symmetry only the orders are left in which the threads get the lock for the first time by their numbers: one in N!.
//@ check --symmetry --cflag=-DN=8: safe executions=1 blocked=0
//@ check --symmetry --cflag=-DN=4 --cflag=-DR=2: safe executions=105 blocked=0
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 4
#endif
#ifndef R
#define R 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *increment(void *arg)
{
    for (int r = 0; r < R; r++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
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
    assert(counter == N * R);
    return 0;
}
