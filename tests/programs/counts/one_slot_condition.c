// A producer and a consumer hand N items through one slot under a lock, with a condition variable for each side. Each comes to the lock before the other has
// done its part, and then waits, or behind that; only the producer's first time is free of choice: 2^(2N - 1) traces.
//@ check --cflag=-DN=1: safe executions=2 blocked=0
//@ check --cflag=-DN=2: safe executions=8 blocked=0
//@ check --cflag=-DN=5: safe executions=512 blocked=0
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int slot, full;

static void *produce(void *arg)
{
    for (int n = 0; n < N; n++) {
        pthread_mutex_lock(&lock);
        while (full)
            pthread_cond_wait(&emptied, &lock);
        slot = n;
        full = 1;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    for (int n = 0; n < N; n++) {
        pthread_mutex_lock(&lock);
        while (!full)
            pthread_cond_wait(&filled, &lock);
        assert(slot == n);
        full = 0;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(producer, NULL);
    return 0;
}
