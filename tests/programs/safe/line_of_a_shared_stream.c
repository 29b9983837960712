// Two threads read lines of one stream while the lines come in parts. Who waits for the rest of its line keeps the other one out, as the stream's lock does.
//@ check --strategy dpor: safe
//@ check --strategy dpor-classic: safe
//@ check --strategy unfold: safe
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int ends[2];
static FILE *stream;
static char first[8], second[8];

static void *writer(void *unused)
{
    write(ends[1], "ab", 2);
    write(ends[1], "c\nd", 3);
    write(ends[1], "e\n", 2);
    return unused;
}

static void *reader(void *line)
{
    fgets(line, 8, stream);
    return line;
}

int main(void)
{
    pthread_t threads[3];
    assert(pipe(ends) == 0);
    stream = fdopen(ends[0], "r");
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, first);
    pthread_create(&threads[2], NULL, reader, second);
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], NULL);
    int is_first = strcmp(first, "abc\n") == 0 && strcmp(second, "de\n") == 0;
    assert(is_first || strcmp(second, "abc\n") == 0 && strcmp(first, "de\n") == 0);
    return 0;
}
