// A program that reads its configuration from a file and runs a pool of that size. The first argument selects the configuration:
// a good one, one that asks for no workers at all (the share of work for each divides by zero),
// and one with a key that is longer than the parser's buffer.
//@ check --strategy random --runs 20 --leaks -- good: bounded
//@ check --strategy random --runs 5 -- empty: bug division-by-zero
//@ check --strategy random --runs 5 -- long: bug out-of-bounds
//@ files: config_pool/config.c config_pool/pool.c
#include "config_pool/config.h"
#include "config_pool/pool.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const file_name = "/tmp/gordian-config-pool.txt";

static const char *text_of(const char *which)
{
    if (strcmp(which, "good") == 0)
        return "# a comment\nworkers = 2\nitems=6\n\n";
    if (strcmp(which, "empty") == 0)
        return "items=6\nworkers=0\n";
    if (strcmp(which, "long") == 0)
        return "workers=1\nan_unreasonably_long_key_without_end=1\n";
    return NULL;
}

int main(int argc, char **argv)
{
    struct config config = {0, 0};
    const char *text = argc > 1 ? text_of(argv[1]) : NULL;
    if (text == NULL) {
        fprintf(stderr, "usage: %s good|empty|long\n", argv[0]);
        return 2;
    }
    FILE *file = fopen(file_name, "w");
    if (file == NULL)
        return 1;
    fputs(text, file);
    fclose(file);
    int result = read_config(file_name, &config);
    remove(file_name);
    if (result != 0)
        return 1;
    int sum = run_pool(config.workers, config.items);
    printf("sum %d\n", sum);
    assert(sum == config.items * (config.items - 1) / 2);
    return 0;
}
