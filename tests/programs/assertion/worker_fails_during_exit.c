// The process ends after the last operation of its exit handler, not with it: the worker may fail in between.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int handled;

static void handler(void)
{
    atomic_store(&handled, 1);
}

static void *work(void *arg)
{
    assert(atomic_load(&handled) == 0); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t thread;
    atexit(handler);
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
