// The owner of a robust mutex ends without unlocking it, some time after its last operation: until then the mutex is busy, and main gives up.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void *work(void *arg)
{
    pthread_mutex_lock(&mutex);
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
    int result = pthread_mutex_trylock(&mutex);
    assert(result != EBUSY); //~ BUG assertion
    if (result == 0)
        pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
