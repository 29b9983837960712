// T' waits for what T writes, which its own copy never shows. It is given up there: no finding, and what it wrote before can be taken.
//@ check --strategy sequentialize --max-interferences 0: bounded
//@ check --strategy sequentialize --max-interferences 1: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, ready;

static void *reader(void *arg)
{
    assert(x == 0); //~ BUG assertion
    ready = 1;
    return arg;
}

static void *writer(void *arg)
{
    x = 1;
    while (!ready)
        ;
    x = 2;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, reader, NULL);
    pthread_create(&u, NULL, writer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
