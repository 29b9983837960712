// As in robust_mutex_left_behind.c, with main as the second thread that ends while it holds the mutex: it tries to take it and leaves by pthread_exit.
//@ check --races ignore --strategy dpor: bug assertion
//@ check --races ignore --strategy stateful: bug assertion
//@ check --races ignore --strategy stateful-naive: bug assertion
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t robust;

static int take(void) {
    int result = pthread_mutex_lock(&robust);
    if (result == EOWNERDEAD)
        pthread_mutex_consistent(&robust);
    pthread_mutex_unlock(&robust);
    return result == EOWNERDEAD;
}

static void *takes_over(void *unused) {
    int times = take();
    times += take();
    assert(times != 2); //~ BUG assertion
    return unused;
}

static void *leaves_behind(void *unused) {
    pthread_mutex_lock(&robust);
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
    pthread_t t;
    pthread_create(&t, NULL, takes_over, NULL);
    pthread_create(&t, NULL, leaves_behind, NULL);
    pthread_mutex_trylock(&robust);
    pthread_exit(NULL);
}
