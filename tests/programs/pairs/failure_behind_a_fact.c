// The first thread fails behind a load of what is only written before there are threads, which `--facts on` makes no step of. The test of the second failure must
// have the store before that load and the read of it, and not the first failure.
//
// Three orders: the second thread reads 0 and the first one fails; it reads 1 and fails; it is too late, since the first one has failed.
//@ check --facts off: bug abort,assertion executions=3
//@ check --facts on: bug abort,assertion executions=3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int a;
static int x;

static void *stores(void *unused) {
    a = 1;
    if (x == 5)
        abort(); //~ BUG abort
    return unused;
}

static void *reads(void *unused) {
    if (a)
        assert(0); //~ BUG assertion
    return unused;
}

int main(void) {
    pthread_t t[2];
    x = 5;
    pthread_create(&t[0], NULL, stores, NULL);
    pthread_create(&t[1], NULL, reads, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
