// The owner of a robust mutex ends before main tries to lock it, with and without a limit of time.
//@ check: bug assertion
//@ check --cflag=-DLOCK=pthread_mutex_trylock: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

#ifndef LOCK
#define LOCK pthread_mutex_lock
#endif

static pthread_mutex_t mutex;

static void *work(void *arg)
{
    if (pthread_mutex_trylock(&mutex) == EBUSY)
        return arg;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread, NULL, work, NULL);
    int result = LOCK(&mutex);
    assert(result != EOWNERDEAD); //~ BUG assertion
    if (result == 0)
        pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
