// A thread that waits for data of its stream's pipe is cancelled there, and gives up the lock of the stream.
//@ check: safe
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int ends[2];
static FILE *stream;
static void *reader(void *unused) {
    fgetc(stream);
    return NULL;
}
int main(void) {
    pthread_t thread;
    void *result;
    assert(pipe(ends) == 0);
    stream = fdopen(ends[0], "r");
    pthread_create(&thread, NULL, reader, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    assert(ftrylockfile(stream) == 0);
    return 0;
}
