// A thread that waits in `fgetc` for its pipe holds the lock of the stream: who takes that lock before writing to the pipe waits for ever.
//@ check: bug deadlock
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int ends[2];
static FILE *stream;
static void *reader(void *unused) {
    fgetc(stream); //~ BUG deadlock
    return NULL;
}
int main(void) {
    pthread_t thread;
    pipe(ends);
    stream = fdopen(ends[0], "r");
    pthread_create(&thread, NULL, reader, NULL);
    flockfile(stream); //~ BUG deadlock
    write(ends[1], "a", 1);
    funlockfile(stream);
    pthread_join(thread, NULL);
    return 0;
}
