// A robust mutex is made consistent while another thread destroys it.
//@ check --races ignore: bug lock-misuse
//@ check --races ignore --strategy exhaustive: bug lock-misuse
//@ check --races ignore --strategy dpor-classic: bug lock-misuse
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t mutex;

static void *destroy(void *unused) {
    pthread_mutex_destroy(&mutex);
    return unused;
}

static void *mend(void *unused) {
    pthread_mutex_consistent(&mutex); //~ BUG lock-misuse
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&one, NULL, destroy, NULL);
    pthread_create(&two, NULL, mend, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
