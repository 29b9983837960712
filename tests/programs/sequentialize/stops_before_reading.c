// T writes `x`, which T' reads later. T' must not read from T, so it stops before that read: what it wrote until then can be taken all the same.
//@ check --races ignore --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 1: bug assertion
#include <assert.h>
#include <pthread.h>

static int x, y, seen;

static void *reader(void *arg)
{
    x = 1;
    assert(y == 0); //~ BUG assertion
    return arg;
}

static void *writer(void *arg)
{
    y = 1;
    seen = x;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, reader, NULL);
    pthread_create(&u, NULL, writer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return seen;
}
