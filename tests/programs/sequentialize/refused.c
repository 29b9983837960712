// What a sequential program cannot say is refused in a sentence: nine threads, attempts to lock, no thread at all.
//@ check --cflag=-DTHREADS=9 --strategy sequentialize: inconclusive message="creates 9 threads; up to 8 can be sequentialized"
//@ check --cflag=-DTHREADS=3 --strategy sequentialize: bounded
//@ check --cflag=-DTHREADS=1 --cflag=-DTRIES --strategy sequentialize: inconclusive message="pthread_mutex_trylock"
//@ check --cflag=-DTHREADS=0 --strategy sequentialize: usage
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
#ifdef TRIES
    if (pthread_mutex_trylock(&m))
        return arg;
#else
    pthread_mutex_lock(&m);
#endif
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
#if THREADS > 0
    pthread_t threads[THREADS];
    for (int n = 0; n < THREADS; n++)
        pthread_create(&threads[n], NULL, work, NULL);
    for (int n = 0; n < THREADS; n++)
        pthread_join(threads[n], NULL);
#else
    (void)work;
#endif
    return 0;
}
