// The stream is flushed before main waits for the answer. So is one that is line buffered, or not buffered at all.
//@ check --strategy dpor: safe
//@ check --strategy exhaustive: safe
//@ native
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int there[2], back[2];

static void *echo(void *unused)
{
    char byte;
    for (int n = 0; n < 3; n++) {
        assert(read(there[0], &byte, 1) == 1);
        write(back[1], &byte, 1);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte;
    pipe(there);
    pipe(back);
    pthread_create(&thread, NULL, echo, NULL);
    FILE *stream = fdopen(there[1], "w");
    fprintf(stream, "x");
    fflush(stream);
    assert(read(back[0], &byte, 1) == 1 && byte == 'x');
    setvbuf(stream, NULL, _IOLBF, 0);
    fputs("\n", stream);
    assert(read(back[0], &byte, 1) == 1 && byte == '\n');
    setvbuf(stream, NULL, _IONBF, 0);
    putc('y', stream);
    assert(read(back[0], &byte, 1) == 1 && byte == 'y');
    pthread_join(thread, NULL);
    fclose(stream);
    return 0;
}
