// Two threads flush one stream to a pipe that is full. What one prints stays together.
//@ check --strategy dpor: safe
//@ check --strategy dpor-classic: safe
//@ check --strategy random --runs 200: bounded
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int ends[2];
static FILE *stream;
static char data[65534];

static void *printer(void *text)
{
    fputs(text, stream);
    fflush(stream);
    return text;
}

int main(void)
{
    static char target[sizeof data];
    char text[5] = "";
    pthread_t first, second;
    assert(pipe(ends) == 0);
    stream = fdopen(ends[1], "w");
    assert(write(ends[1], data, sizeof data) == sizeof data);
    pthread_create(&first, NULL, printer, "abc");
    pthread_create(&second, NULL, printer, "d");
    assert(read(ends[0], target, sizeof target) == sizeof target);
    for (int n = 0; n < 4;)
        n += (int)read(ends[0], text + n, 4 - n);
    assert(strcmp(text, "abcd") == 0 || strcmp(text, "dabc") == 0);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
