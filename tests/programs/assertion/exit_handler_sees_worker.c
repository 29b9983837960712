// An exit handler runs while a worker still does: it may see what the worker changes.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int done;

static void handler(void)
{
    assert(atomic_load(&done) == 0); //~ BUG assertion
}

static void *work(void *arg)
{
    atomic_store(&done, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    atexit(handler);
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
