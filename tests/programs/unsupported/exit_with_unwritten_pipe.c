// When main returns, the byte in the stream's buffer is written to the pipe, and the reader may go on before the process is over.
//@ check: inconclusive message="a stream with data for a pipe"
//@ check --strategy exhaustive: inconclusive message="a stream with data for a pipe"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *unused)
{
    char byte;
    read(ends[0], &byte, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, NULL, reader, NULL);
    fputs("x", fdopen(ends[1], "w"));
    return 0;
}
