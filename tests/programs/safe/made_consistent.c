// A robust mutex that is made consistent is as good as new.
//@ check: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t mutex;
static void *holder(void *unused) {
    pthread_mutex_lock(&mutex);
    return NULL;
}
int main(void) {
    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &robust);
    pthread_t a;
    pthread_create(&a, NULL, holder, NULL);
    pthread_join(a, NULL);
    assert(pthread_mutex_consistent(&mutex) == EINVAL);
    assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
    assert(pthread_mutex_consistent(&mutex) == 0);
    assert(pthread_mutex_consistent(&mutex) == EINVAL);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    return 0;
}
