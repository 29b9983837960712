// A thread that reads fifteen times unlocks sixteen times, while another reads.
//@ check: bug lock-misuse
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *overdoes(void *argument) {
    for (int i = 0; i < 15; i++) pthread_rwlock_rdlock(&lock);
    for (int i = 0; i < 16; i++) pthread_rwlock_unlock(&lock); //~ BUG lock-misuse
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, overdoes, 0);
    pthread_rwlock_rdlock(&lock);
    pthread_join(thread, 0);
}
