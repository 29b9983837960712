// An error-checking mutex answers wrong use with an error code instead of undefined behaviour, so a program may rely on it:
// EDEADLK for a relock, EPERM for an unlock by a thread that does not hold it.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void *not_the_owner(void *arg)
{
    (void)arg;
    assert(pthread_mutex_unlock(&lock) == EPERM);
    assert(pthread_mutex_trylock(&lock) == EBUSY);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_t thread;
    int type;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutexattr_gettype(&attr, &type);
    assert(type == PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &attr);
    pthread_mutexattr_destroy(&attr);
    assert(pthread_mutex_unlock(&lock) == EPERM);
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_lock(&lock) == EDEADLK);
    pthread_create(&thread, NULL, not_the_owner, NULL);
    pthread_join(thread, NULL);
    assert(pthread_mutex_unlock(&lock) == 0);
    pthread_mutex_destroy(&lock);
    return 0;
}
