// Whether `fprintf` acts on a cancellation depends on when it writes what is in its buffer. That is not modelled, so the verdict is not `safe`: natively the thread may
// end with the mutex, and main then waits for ever.
//@ check: inconclusive message="natively it may end the thread"
//@ check --strategy exhaustive: inconclusive message="natively it may end the thread"
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *printer(void *unused) {
    pthread_mutex_lock(&mutex);
    fprintf(stderr, "hello\n");
    pthread_mutex_unlock(&mutex);
    return NULL;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, printer, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&mutex);
    return 0;
}
