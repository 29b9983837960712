// Two threads read from the pipe of a stream, one byte each, in a program that locks streams; main writes the bytes. The first reader to take the lock holds it while it waits.
//@ check: safe
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int ends[2], got[2];
static FILE *stream;
static void *reader(void *argument) {
    *(int *)argument = fgetc(stream);
    return NULL;
}
int main(void) {
    pthread_t first, second;
    pipe(ends);
    stream = fdopen(ends[0], "r");
    pthread_create(&first, NULL, reader, &got[0]);
    pthread_create(&second, NULL, reader, &got[1]);
    write(ends[1], "a", 1);
    write(ends[1], "b", 1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(got[0] + got[1] == 'a' + 'b');
    flockfile(stream);
    funlockfile(stream);
    return 0;
}
