// The struct that a call passes by value may have been freed before, or not: the call is a step that depends on it either way.
//@ check --races ignore: bug use-after-free,assertion
//@ check --races ignore --strategy exhaustive: bug use-after-free,assertion
//@ check --races ignore --strategy unfold: bug use-after-free,assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct big { long v[5]; };
static atomic_int a, after;
static long r;

static void by_value(struct big b) { r = b.v[2]; }

static void *passes(void *x) {
    a = 1;
    by_value(*(struct big *)x); //~ BUG use-after-free
    after = 1;
    return 0;
}

int main(void) {
    struct big *p = calloc(1, sizeof *p);
    pthread_t thread;
    pthread_create(&thread, 0, passes, p);
    free(p);
    pthread_join(thread, 0);
    assert(!after); //~ BUG assertion
}
