// Threads from number 64 on are not told apart as readers: whether such a one may unlock depends on whether others read.
//@ check: bug lock-misuse
//@ check --strategy dpor-classic: bug lock-misuse
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *idle(void *argument) { return argument; }

static void *unlocks(void *argument) {
    pthread_rwlock_unlock(&lock); //~ BUG lock-misuse
    return argument;
}

static void *reads(void *argument) {
    pthread_rwlock_rdlock(&lock);
    return argument;
}

int main(void) {
    pthread_t threads[66];
    for (int i = 0; i < 64; i++) pthread_create(&threads[i], 0, idle, 0);
    pthread_create(&threads[64], 0, unlocks, 0);
    pthread_create(&threads[65], 0, reads, 0);
    for (int i = 0; i < 66; i++) pthread_join(threads[i], 0);
}
