// The owner of a robust mutex ends without unlocking. The next locker is told EOWNERDEAD, repairs the state,
// marks the mutex consistent, and everything goes on.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int half_done;

static void *die_holding(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    half_done = 1;
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_t thread;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_create(&thread, NULL, die_holding, NULL);
    pthread_join(thread, NULL);
    assert(pthread_mutex_lock(&lock) == EOWNERDEAD);
    assert(half_done == 1);
    half_done = 0;
    assert(pthread_mutex_consistent(&lock) == 0);
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_unlock(&lock) == 0);
    pthread_mutex_destroy(&lock);
    return 0;
}
