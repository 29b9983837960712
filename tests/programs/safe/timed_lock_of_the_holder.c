// The holder of a recursive mutex takes it again, timed or not; an error-checking one refuses at once. Neither waits for the time to pass.
//@ check: safe
//@ native
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static int lock_twice(int type) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    struct timespec soon;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutex_init(&mutex, &attributes);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec += 1;
    pthread_mutex_lock(&mutex);
    int status = pthread_mutex_timedlock(&mutex, &soon);
    if (status == 0)
        pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);
    return status;
}

int main(void) {
    assert(lock_twice(PTHREAD_MUTEX_RECURSIVE) == 0);
    assert(lock_twice(PTHREAD_MUTEX_ERRORCHECK) == EDEADLK);
    return 0;
}
