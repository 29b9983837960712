// Threads that wait for a condition, and as many signals, each of which wakes any one of those that wait by then. Everything happens under one
// lock, so that every schedule is a trace of its own, as `--strategy classes` confirms. The exit waits for all.
//@ check --cflag=-DTHREADS=1: safe executions=2 blocked=0
//@ check --cflag=-DTHREADS=2: safe executions=36 blocked=0
//@ check --cflag=-DTHREADS=3: safe executions=2652 blocked=0
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static int order;

static void *waiter(void *number)
{
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&woken, &lock);
    order = order * THREADS + (int)(long)number;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long n = 0; n < THREADS; n++)
        pthread_create(&threads[n], NULL, waiter, (void *)n);
    for (int n = 0; n < THREADS; n++) {
        pthread_mutex_lock(&lock);
        pthread_cond_signal(&woken);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
