// Two threads add an input each to a sum under one lock that is initialised and destroyed, and are joined; then an object is handed over by a pointer.
// There is nothing to find, and every search can tell.
//@ check: safe
//@ check --strategy interference: safe
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock;
static int sum;
static _Atomic(int *) box;

static void *add(void *arg)
{
    int input = gordian_range(0, 9, "input");
    pthread_mutex_lock(&lock);
    if (input > 4)
        sum += input;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *fills(void *arg)
{
    int *new = malloc(sizeof *new);
    *new = 3;
    box = new;
    return arg;
}

static void *empties(void *arg)
{
    int *got = box;
    if (got) {
        assert(*got == 3);
        *got = 4;
        free(got);
    }
    return arg;
}

static void run(void *(*one)(void *), void *(*other)(void *))
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, one, 0);
    pthread_create(&threads[1], 0, other, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}

int main(void)
{
    pthread_mutex_init(&lock, 0);
    run(add, add);
    pthread_mutex_destroy(&lock);
    assert(sum <= 18);
    run(fills, empties);
    return 0;
}
