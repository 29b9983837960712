// A thread that waits in `fgetc` for its pipe holds the lock of the stream meanwhile, so others cannot take it.
//@ check: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int ends[2], refused;
static FILE *stream;
static void *reader(void *unused) {
    assert(fgetc(stream) == 'a');
    // The lock was given up with the end of the call.
    assert(ftrylockfile(stream) == 0);
    return NULL;
}
static void *writer(void *unused) {
    refused = ftrylockfile(stream);
    if (!refused)
        funlockfile(stream);
    write(ends[1], "a", 1);
    return NULL;
}
int main(void) {
    pthread_t first, second;
    pipe(ends);
    stream = fdopen(ends[0], "r");
    pthread_create(&first, NULL, reader, NULL);
    pthread_create(&second, NULL, writer, NULL);
    pthread_join(second, NULL);
    pthread_join(first, NULL);
    assert(!refused); //~ BUG assertion
}
