// A thread that waits for data in a pipe is cancelled there.
//@ check: safe
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static void *reader(void *unused) {
    char byte;
    read(ends[0], &byte, 1);
    return NULL;
}
int main(void) {
    pthread_t thread;
    void *result;
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, reader, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    return 0;
}
