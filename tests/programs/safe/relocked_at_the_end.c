// Main may return while a thread stands before a lock that it holds already. An attempt to take it then fails, and it touches less than a lock that is taken:
// a plan that takes it for one must know that it may turn out otherwise.
//
// main waits for the others unless somebody could see the difference, so there are 6 traces: the unlock of T1 comes before or after the lock, 2 ways; T2 reads `a`
// after the write and does nothing, or before it and unlocks before or after the lock, 3 ways.
//@ check --strategy dpor: safe executions=6
//@ check --strategy unfold: safe
//@ check --strategy exhaustive: safe
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a;
static pthread_mutex_t checking;

static void *unlocks(void *arg) {
    pthread_mutex_unlock(&checking);
    return arg;
}

static void *may_unlock(void *arg) {
    if (!a)
        pthread_mutex_unlock(&checking);
    return arg;
}

static void *locks_twice(void *arg) {
    pthread_mutex_lock(&checking);
    pthread_mutex_lock(&checking);
    return arg;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &attributes);
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, unlocks, NULL);
    pthread_create(&threads[1], NULL, may_unlock, NULL);
    pthread_create(&threads[2], NULL, locks_twice, NULL);
    a = 2;
    return 0;
}
