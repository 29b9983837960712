// Two threads end while they hold a robust mutex, and a third one takes it over from both. What a robust mutex holds is more than who has it: it may be
// left behind, inconsistent, or consistent again. The stateful strategies gave all of that one name, and did not see the second takeover.
//@ check --races ignore --strategy dpor: bug assertion
//@ check --races ignore --strategy unfold: bug assertion
//@ check --races ignore --strategy contextual: bug assertion
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
    pthread_t t, u, v;
    pthread_create(&t, NULL, takes_over, NULL);
    pthread_create(&u, NULL, leaves_behind, NULL);
    pthread_create(&v, NULL, leaves_behind, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    pthread_join(v, NULL);
    return 0;
}
