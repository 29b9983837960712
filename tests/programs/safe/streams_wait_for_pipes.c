// The writer sends a line in two parts. What is read through a stream waits for the rest of it: an empty pipe that has a writer is not at its end.
//@ check --strategy dpor: safe
//@ check --strategy exhaustive: safe
//@ native
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

static FILE *begin(pthread_t *thread)
{
    assert(pipe(ends) == 0);
    pthread_create(thread, NULL, writer, NULL);
    return fdopen(ends[0], "r");
}

static void end(pthread_t thread, FILE *stream)
{
    pthread_join(thread, NULL);
    assert(getc(stream) == EOF && feof(stream));
    fclose(stream);
}

int main(void)
{
    pthread_t thread;
    char text[16];
    FILE *stream = begin(&thread);
    assert(fgets(text, sizeof text, stream) && strcmp(text, "abc\n") == 0);
    end(thread, stream);

    stream = begin(&thread);
    assert(fread(text, 1, 4, stream) == 4 && memcmp(text, "abc\n", 4) == 0);
    end(thread, stream);

    stream = begin(&thread);
    char *line = NULL;
    size_t size = 0;
    assert(getline(&line, &size, stream) == 4 && strcmp(line, "abc\n") == 0);
    free(line);
    end(thread, stream);

    stream = begin(&thread);
    assert(fscanf(stream, "%15s", text) == 1 && strcmp(text, "abc") == 0);
    assert(getc(stream) == '\n');
    end(thread, stream);

    stream = begin(&thread);
    int n = 0;
    while (getc(stream) != EOF)
        n++;
    assert(n == 4);
    end(thread, stream);
    return 0;
}
