// Whichever way the inputs decide, the first thread fails. The others go on in its place, before what the inputs decide about: `dpor-classic` gave them no chance.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy bounded: bug assertion
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int least, flag;

static void *fails(void *unused) {
    if (gordian_int("input") > least)
        assert(0 && "greater");
    else
        assert(0 && "not greater");
    return unused;
}

static void *writes(void *unused) {
    flag = 1;
    return unused;
}

static void *reads(void *unused) {
    assert(!flag); //~ BUG assertion
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, fails, 0);
    pthread_create(&threads[1], 0, writes, 0);
    pthread_create(&threads[2], 0, reads, 0);
    pthread_exit(0);
}
