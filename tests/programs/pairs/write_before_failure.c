// With static facts the write is a part of the read before it, and the failure too; without them the failure behind the write is a step of its own.
//@ check --races ignore: bug assertion
//@ check --races ignore --facts on: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int x;

static void *reads(void *unused) {
    int seen = flag;
    x = 1;
    assert(!seen); //~ BUG assertion
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, reads, NULL);
    flag = 1;
    pthread_join(t, NULL);
    return x - 1;
}
