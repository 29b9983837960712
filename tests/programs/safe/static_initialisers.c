// All static initialisers of pthreads give objects that are ready for use, and their init functions give the same.
//@ check --strategy exhaustive: safe
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int initialised;

static void initialise(void)
{
    initialised++;
}

int main(void)
{
    pthread_mutex_t dynamic;
    assert(pthread_mutex_init(&dynamic, NULL) == 0);
    assert(pthread_mutex_lock(&dynamic) == 0);
    assert(pthread_mutex_unlock(&dynamic) == 0);
    assert(pthread_mutex_destroy(&dynamic) == 0);

    assert(pthread_mutex_lock(&normal) == 0);
    assert(pthread_cond_signal(&cond) == 0);
    assert(pthread_cond_broadcast(&cond) == 0);
    assert(pthread_mutex_unlock(&normal) == 0);
    assert(pthread_mutex_lock(&recursive) == 0);
    assert(pthread_mutex_lock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_rwlock_rdlock(&rwlock) == 0);
    assert(pthread_rwlock_unlock(&rwlock) == 0);
    pthread_once(&once, initialise);
    pthread_once(&once, initialise);
    assert(initialised == 1);
    assert(pthread_rwlock_destroy(&rwlock) == 0);
    assert(pthread_cond_destroy(&cond) == 0);
    assert(pthread_mutex_destroy(&normal) == 0);
    return 0;
}
