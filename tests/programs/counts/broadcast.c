// N threads wait under a lock until main opens the gate and wakes them all. Those k that come before main do so in one of k! orders and wait; behind
// main these and the others get the lock in one of N! orders: the sum over k of C(N, k) * k! * N! traces.
//@ check --cflag=-DN=2: safe executions=10 blocked=0
//@ check --cflag=-DN=3: safe executions=96 blocked=0
//@ check --cflag=-DN=4: safe executions=1560 blocked=0
#include <pthread.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int gate;

static void *enter(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!gate)
        pthread_cond_wait(&opened, &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, enter, NULL);
    pthread_mutex_lock(&lock);
    gate = 1;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
