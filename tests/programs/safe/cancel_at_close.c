// `close` is a cancellation point.
//@ check: safe
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static void *closer(void *unused) {
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    close(100);
    assert(0);
    return NULL;
}
static pthread_barrier_t cancelled;
static void *waits(void *unused) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_barrier_wait(&cancelled);
    return closer(NULL);
}
int main(void) {
    pthread_t thread;
    void *result;
    pthread_barrier_init(&cancelled, NULL, 2);
    pthread_create(&thread, NULL, waits, NULL);
    pthread_cancel(thread);
    pthread_barrier_wait(&cancelled);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    return 0;
}
