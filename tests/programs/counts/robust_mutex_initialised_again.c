// One thread locks a robust mutex and unlocks it (L, U), the other tries to lock it, initialises it twice, and ends (T, I, J, E).
// If T fails there is nothing left to abandon at the end: L T, with U after T, I or J: 3. L U T: 1. Otherwise T succeeds and L comes after I, since it waits
// until then: L between I and J with U before J, before E or after E: 3; L between J and E with U before or after E: 2; L after E: 1. That is 10.
//@ check --races ignore: safe executions=10
//@ check --races ignore --strategy dpor-classic: safe executions=10
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t mutex;

static void initialise(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
}

static void *use(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *renew(void *unused) {
    pthread_mutex_trylock(&mutex);
    initialise();
    initialise();
    return unused;
}

int main(void) {
    pthread_t one, two;
    initialise();
    pthread_create(&one, NULL, use, NULL);
    pthread_create(&two, NULL, renew, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
