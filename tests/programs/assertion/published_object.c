// What a thread writes to an object before it publishes it counts as its write, on the heap as in a static variable: two interferences, the pointer and
// the value behind it.
//@ check: bug assertion
//@ check --strategy interference --max-interferences 1: bounded
//@ check --strategy interference --max-interferences 2: bug assertion
//@ check --cflag=-DSTATIC --strategy interference --max-interferences 1: bounded
//@ check --cflag=-DSTATIC --strategy interference --max-interferences 2: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct cell {
    atomic_int value;
};
#ifdef STATIC
static struct cell only;
#define NEW() (&only)
#else
#define NEW() malloc(sizeof(struct cell))
#endif
static struct cell *_Atomic cell;

static void *publish(void *arg)
{
    struct cell *new = NEW();
    new->value = 7;
    cell = new;
    return arg;
}

static void *look(void *arg)
{
    struct cell *got = cell;
    assert(!got || got->value != 7); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, publish, 0);
    pthread_create(&threads[1], 0, look, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
