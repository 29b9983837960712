// Two threads exit. Whoever comes first runs the handler, and the other one may end the process in the middle of it: what the handler does first was
// done then, and what it registers last is not run. A third thread, which only tries a lock, has nothing to do with it.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stage;

static void last(void)
{
    stage = 2;
}

static void first(void)
{
    stage = 1;
    atexit(last);
}

static void *tries(void *arg)
{
    if (pthread_mutex_trylock(&lock) == 0)
        pthread_mutex_unlock(&lock);
    assert(stage != 1); //~ BUG assertion
    return arg;
}

static void *exits(void *arg)
{
    exit(stage);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    atexit(first);
    pthread_create(&a, NULL, tries, NULL);
    pthread_create(&b, NULL, exits, NULL);
    return 0;
}
