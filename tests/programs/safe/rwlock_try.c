// Readers share, writers do not: what the try functions answer, seen from a second thread while the first one holds the lock.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock;

static void *while_read_locked(void *arg)
{
    (void)arg;
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    return NULL;
}

static void *while_write_locked(void *arg)
{
    (void)arg;
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_rwlock_init(&lock, NULL);
    pthread_rwlock_rdlock(&lock);
    pthread_create(&thread, NULL, while_read_locked, NULL);
    pthread_join(thread, NULL);
    pthread_rwlock_unlock(&lock);
    assert(pthread_rwlock_trywrlock(&lock) == 0);
    pthread_create(&thread, NULL, while_write_locked, NULL);
    pthread_join(thread, NULL);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_destroy(&lock);
    return 0;
}
