// A parallel grep: the file is cut into one part for each worker at line ends, each worker counts the matching lines of its part.
// The sum does not depend on the cuts. Without a pattern it says how it is used, which is no finding.
//@ check --strategy random --runs 20 --leaks -- knot 2: bounded
//@ check --strategy pos --runs 20 -- rope 3: bounded
//@ check --strategy exhaustive: safe
//@ files: parallel_grep/part.c parallel_grep/match.c
#include "parallel_grep/match.h"
#include "parallel_grep/part.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_WORKERS = 4 };

static const char *const file_name = "/tmp/gordian-parallel-grep.txt";
static const char text[] = "a knot in a rope\nno such thing\nrope\nknots, knots\n\nthe sword\n";

struct job {
    const char *pattern;
    struct part part;
    int matches;
};

static void *search(void *arg)
{
    struct job *job = arg;
    job->matches = count_matching_lines(file_name, job->part, job->pattern);
    return NULL;
}

static int write_file(void)
{
    FILE *file = fopen(file_name, "w");
    if (file == NULL)
        return -1;
    size_t written = fwrite(text, 1, sizeof text - 1, file);
    return fclose(file) == 0 && written == sizeof text - 1 ? 0 : -1;
}

static int parse_workers(const char *argument)
{
    char *end;
    long n = strtol(argument, &end, 10);
    return *end == '\0' && n >= 1 && n <= MAX_WORKERS ? (int)n : -1;
}

int main(int argc, char **argv)
{
    pthread_t threads[MAX_WORKERS];
    struct job jobs[MAX_WORKERS];
    int n_workers = argc > 2 ? parse_workers(argv[2]) : 2;
    if (argc < 2 || n_workers < 0) {
        fprintf(stderr, "usage: %s pattern [workers]\n", argv[0]);
        return 2;
    }
    if (write_file() != 0)
        return 1;
    struct part *parts = split_at_lines(text, (long)sizeof text - 1, n_workers);
    for (int i = 0; i < n_workers; i++) {
        jobs[i] = (struct job){argv[1], parts[i], 0};
        pthread_create(&threads[i], NULL, search, &jobs[i]);
    }
    int sum = 0;
    for (int i = 0; i < n_workers; i++) {
        pthread_join(threads[i], NULL);
        sum += jobs[i].matches;
    }
    free(parts);
    remove(file_name);
    printf("%d lines match\n", sum);
    assert(sum == 2); /* "knot" and "rope" both stand in two lines */
    return 0;
}
