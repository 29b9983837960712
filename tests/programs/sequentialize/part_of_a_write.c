// T' writes a pair at once, and T reads it in halves: both come from the same write, so one source is enough.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 1: bug assertion message="k = 1, in 2 reads of thread 2"
#include <assert.h>
#include <pthread.h>

static union {
    long both;
    int half[2];
} pair;

static void *writer(void *arg)
{
    pair.both = 1 | 2L << 32;
    return arg;
}

static void *reader(void *arg)
{
    int a = pair.half[0];
    int b = pair.half[1];
    assert(!(a == 1 && b == 2)); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r, 0);
    return 0;
}
