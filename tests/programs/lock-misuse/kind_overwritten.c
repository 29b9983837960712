// The kind of a mutex stands behind its first eight bytes. A thread overwrites it while main may already have locked the mutex.
//@ check --strategy exhaustive --races ignore: bug lock-misuse
//@ check --strategy dpor --races ignore: bug lock-misuse
//@ check --strategy dpor-classic --races ignore: bug lock-misuse
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *overwrites(void *unused) {
    ((int *)&mutex)[4] = 99;
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, overwrites, NULL);
    pthread_mutex_lock(&mutex); //~ BUG lock-misuse
    return 0;
}
