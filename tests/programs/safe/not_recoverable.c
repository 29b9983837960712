// A robust mutex whose holder has ended: whoever takes it over learns what the holder knew, and unless it makes the mutex consistent nobody can
// lock it again.
//@ check: safe
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t mutex;
static int data;
static void *holder(void *unused) {
    pthread_mutex_lock(&mutex);
    data = 1;
    return NULL;
}
static void *heir(void *unused) {
    int status = pthread_mutex_lock(&mutex);
    if (status == EOWNERDEAD) {
        assert(data == 1);
        data = 2;
        pthread_mutex_unlock(&mutex);
        assert(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
        assert(pthread_mutex_trylock(&mutex) == ENOTRECOVERABLE);
    } else {
        assert(status == 0);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}
int main(void) {
    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &robust);
    pthread_t a, b;
    pthread_create(&a, NULL, holder, NULL);
    pthread_create(&b, NULL, heir, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
