// A call that nobody else can see writes to variables of its own thread and then meets a null pointer. Its thread has stored 1 before, which the other may see
// before the failure ends the execution. Such a call was not made apart from the store if it had changed something, and the assertion was not found.
// By number: `sscanf` has stored its first number, `posix_memalign` and `asprintf` have made their object, `getentropy` has drawn, `sincos` has stored the sine.
//@ check -- 0: bug assertion,null-dereference
//@ check --strategy exhaustive -- 0: bug assertion,null-dereference
//@ check --strategy dpor-classic -- 0: bug assertion,null-dereference
//@ check --strategy unfold -- 0: bug assertion,null-dereference
//@ check -- 1: bug assertion,null-dereference
//@ check --strategy exhaustive -- 1: bug assertion,null-dereference
//@ check -- 2: bug assertion,null-dereference
//@ check --strategy exhaustive -- 2: bug assertion,null-dereference
//@ check -- 3: bug assertion,null-dereference
//@ check --strategy exhaustive -- 3: bug assertion,null-dereference
//@ check -- 4: bug assertion,null-dereference
//@ check --strategy exhaustive -- 4: bug assertion,null-dereference
#define _GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

static atomic_int stored;
static int how;

static void *fail(void *null) {
    int number = 0;
    double sine;
    stored = 1;
    switch (how) {
    case 0:
        sscanf("1 2", "%d %d", &number, (int *)null);
        break;
    case 1:
        posix_memalign((void **)null, 8, 8);
        break;
    case 2:
        asprintf((char **)null, "x");
        break;
    case 3:
        getentropy(null, 4);
        break;
    default:
        sincos(1.0, &sine, null);
        break;
    }
    return null;
}

int main(int argc, char **argv) {
    pthread_t thread;
    how = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&thread, 0, fail, 0);
    assert(stored == 0); //~ BUG assertion
    pthread_join(thread, 0);
}
