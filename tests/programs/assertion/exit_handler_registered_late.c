// A worker registers an exit handler, before main looks at the list or after: then the handler does not run. Before, it runs first.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void handler(void)
{
    assert(0); //~ BUG assertion
}

static void *work(void *arg)
{
    atexit(handler);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
