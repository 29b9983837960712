// A mutex that was overwritten seems to be held by main, taken at a place that is none.
//@ check: bug deadlock
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>
static union {
    pthread_mutex_t mutex;
    unsigned words[10];
} lock;
static void *locker(void *unused) {
    pthread_mutex_lock(&lock.mutex); //~ BUG deadlock
    return NULL;
}
int main(void) {
    pthread_t thread;
    lock.words[0] = 1;
    lock.words[5] = 0x7fffffff;
    lock.words[6] = 0x7fffffff;
    pthread_create(&thread, NULL, locker, NULL);
    pthread_join(thread, NULL);
    return 0;
}
