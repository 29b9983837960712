// Main ends by pthread_exit and the threads go on. That main has stopped must not stop T, which works on the same copy.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 1: bug assertion
#include <assert.h>
#include <pthread.h>

static int x, calls;

static void call(void)
{
    calls++;
}

static void *writer(void *arg)
{
    x = 1;
    return arg;
}

static void *reader(void *arg)
{
    call();
    assert(x == 0); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    pthread_exit(0);
}
