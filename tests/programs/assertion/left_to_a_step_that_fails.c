// Until it is made and fails, the exchange is a leaf of the wake-up tree behind the first write, and all that is independent of it is left to it. The last thread's read of 0, before
// anybody writes and behind its own write, was left to it and lost: the section that depends on that write was planned by name, so it was not noticed that the search in the
// place of the exchange had to find the rest.
// With an argument, two inputs decide what fails behind the exchange.
//@ check --races ignore -- 0: bug assertion
//@ check --strategy dpor-classic --races ignore -- 0: bug assertion
//@ check --strategy exhaustive --races ignore -- 0: bug assertion
//@ check --strategy unfold --races ignore -- 0: bug assertion
//@ check --races ignore -- 1: bug assertion
//@ check --strategy dpor-classic --races ignore -- 1: bug assertion
//@ check --strategy bounded --races ignore -- 1: bug assertion
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static atomic_int value, is_stopped, may_read;
static int has_inputs;

static void *writes(void *unused) {
    value = 1;
    return unused;
}

static void *exchanges(void *unused) {
    int expected = 5;
    atomic_compare_exchange_strong(&value, &expected, 6);
    if (!has_inputs)
        assert(expected);
    else if (!expected) {
        if (gordian_int("input"))
            assert(0 && "one way");
        else
            assert(0 && "the other");
    }
    return unused;
}

static void *writes_in_a_section(void *unused) {
    may_read = 1;
    __VERIFIER_atomic_begin();
    if (!is_stopped)
        value = 2;
    __VERIFIER_atomic_end();
    return unused;
}

static void *stops_and_reads(void *unused) {
    if (may_read) {
        is_stopped = 1;
        int read = value;
        assert(read); //~ BUG assertion
    }
    return unused;
}

int main(int argc, char **argv) {
    pthread_t threads[4];
    has_inputs = argc > 1 && atoi(argv[1]);
    pthread_create(&threads[0], 0, writes, 0);
    pthread_create(&threads[1], 0, exchanges, 0);
    pthread_create(&threads[2], 0, writes_in_a_section, 0);
    pthread_create(&threads[3], 0, stops_and_reads, 0);
    pthread_exit(0);
}
