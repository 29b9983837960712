// The writer sends a line in two parts. What is read through a stream waits for the rest of it: an empty pipe that has a writer is not at its end.
//@ check --strategy dpor -- fgets: safe
//@ check --strategy dpor -- fread: safe
//@ check --strategy dpor -- getline: safe
//@ check --strategy dpor -- fscanf: safe
//@ check --strategy dpor -- getc: safe
//@ check --strategy exhaustive -- fgets: safe
//@ check --strategy exhaustive -- fread: safe
//@ check --strategy exhaustive -- getline: safe
//@ check --strategy exhaustive -- fscanf: safe
//@ check --strategy exhaustive -- getc: safe
//@ native -- fgets
//@ native -- fscanf
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused)
{
    write(ends[1], "ab", 2);
    write(ends[1], "c\n", 2);
    close(ends[1]);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    char text[16], *line = NULL;
    size_t size = 0;
    const char *way = argc > 1 ? argv[1] : "getc";
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, writer, NULL);
    FILE *stream = fdopen(ends[0], "r");
    if (strcmp(way, "fgets") == 0) {
        assert(fgets(text, sizeof text, stream) && strcmp(text, "abc\n") == 0);
    } else if (strcmp(way, "fread") == 0) {
        assert(fread(text, 1, 4, stream) == 4 && memcmp(text, "abc\n", 4) == 0);
    } else if (strcmp(way, "getline") == 0) {
        assert(getline(&line, &size, stream) == 4 && strcmp(line, "abc\n") == 0);
    } else if (strcmp(way, "fscanf") == 0) {
        assert(fscanf(stream, "%15s", text) == 1 && strcmp(text, "abc") == 0);
        assert(getc(stream) == '\n');
    } else {
        assert(getc(stream) == 'a' && getc(stream) == 'b' && getc(stream) == 'c' && getc(stream) == '\n');
    }
    assert(getc(stream) == EOF && feof(stream));
    free(line);
    pthread_join(thread, NULL);
    fclose(stream);
    return 0;
}
