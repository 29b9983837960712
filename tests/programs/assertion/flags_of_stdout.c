// What calls leave in a stream shows, even where nothing that others could see is behind its descriptor.
//@ check --races ignore -- 0: bug assertion
//@ check --strategy dpor-classic --races ignore -- 0: bug assertion
//@ check --strategy exhaustive --races ignore -- 0: bug assertion
//@ check --strategy unfold --races ignore -- 0: bug assertion
//@ check --races ignore -- 1: bug assertion
//@ check --strategy exhaustive --races ignore -- 1: bug assertion
//@ check --races ignore -- 2: bug assertion
//@ check --strategy exhaustive --races ignore -- 2: bug assertion
//@ check --races ignore -- 3: bug assertion
//@ check --strategy exhaustive --races ignore -- 3: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int how, seen;

// It cannot be read, which is an error.
static void *reads(void *unused) {
    int c = fgetc(stdout);
    if (how > 1)
        seen = c;
    return unused;
}

static void *other(void *unused) {
    if (how > 1)
        ungetc('x', stdout);
    else
        seen = ferror(stdout);
    return unused;
}

int main(int argc, char **argv) {
    pthread_t threads[2];
    how = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&threads[0], 0, reads, 0);
    pthread_create(&threads[1], 0, other, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    switch (how) {
    case 0:
        assert(!seen);
        break;
    case 1:
        assert(seen);
        break;
    case 2:
        assert(seen != 'x');
        break;
    case 3:
        assert(seen == 'x');
        break;
    }
    return 0;
}
