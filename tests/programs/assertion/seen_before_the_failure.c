// One thread writes and then fails in code of its own. The other one can see the write before that, and fails as well: the failure is a step behind the write,
// whatever the strategy.
//@ check --strategy dpor: bug assertion,division-by-zero
//@ check --strategy dpor-classic: bug assertion,division-by-zero
//@ check --strategy exhaustive: bug assertion,division-by-zero
//@ check --strategy bounded: bug assertion,division-by-zero
//@ check --strategy interference: bug assertion,division-by-zero
//@ check --strategy unfold: bug assertion,division-by-zero
//@ check --strategy contextual: bug assertion,division-by-zero
//@ check --strategy stateful --races ignore: bug assertion,division-by-zero
//@ check --strategy stateful-naive --races ignore: bug assertion,division-by-zero
//@ check --strategy value-schedule: bug assertion,division-by-zero
//@ check --strategy explicit: bug assertion,division-by-zero
//@ check --strategy sequentialize: bug assertion,division-by-zero
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int written;

static void *write_and_fail(void *argument) {
    volatile int zero = 0;
    written = 1;
    zero = 1 / zero; //~ BUG division-by-zero
    return argument;
}

static void *look(void *argument) {
    assert(written == 0); //~ BUG assertion
    return argument;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, write_and_fail, NULL);
    pthread_create(&second, NULL, look, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
