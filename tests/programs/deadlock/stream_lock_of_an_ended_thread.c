// A thread ends with the lock of a stream: calls on the stream wait for ever, also when nobody else is left.
//@ check: bug deadlock
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static FILE *stream;
static void *locker(void *unused) {
    flockfile(stream);
    return NULL;
}
int main(void) {
    int ends[2];
    pthread_t thread;
    pipe(ends);
    stream = fdopen(ends[0], "r");
    pthread_create(&thread, NULL, locker, NULL);
    pthread_join(thread, NULL);
    clearerr(stream); //~ BUG deadlock
    return 0;
}
