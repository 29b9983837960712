// Who has given its read lock back may ask for the write lock while others still read: it waits, and misuses nothing.
//@ check: safe
//@ check --strategy exhaustive: safe
//@ check --strategy random --runs 200: bounded
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *writer(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    int seen = value;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    value = seen + 1;
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *reader(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    assert(value == 0 || value == 1);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(value == 1);
    return 0;
}
