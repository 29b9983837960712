// A thread is cancelled while its output waits for room in a pipe: natively how much of it stays in the buffer depends on more than the schedule.
//@ check: inconclusive message="had read or written a part"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int ends[2];
static FILE *stream;
static char text[70000];
static void *writer(void *unused) {
    fwrite(text, 1, sizeof text, stream);
    return NULL;
}
int main(void) {
    pthread_t thread;
    void *result;
    pipe(ends);
    stream = fdopen(ends[1], "w");
    pthread_create(&thread, NULL, writer, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    return 0;
}
