// A lock of this kind makes the second read lock wait for the writer if that waits by then: natively both threads then wait for ever. When a writer begins to
// wait is no step of gordian's, so it does not say that the program is safe.
//@ check: inconclusive message="prefers writers"
//@ check --strategy exhaustive: inconclusive message="prefers writers"
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void *writer(void *argument) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&thread, NULL, writer, NULL);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
