// Peterson's entry with its two stores swapped: between turn and flag the other thread slips in, and both are inside.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy random --runs 2000: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2], turn, inside;

static void *try_once(void *arg)
{
    int me = (int)(intptr_t)arg, other = 1 - me;
    atomic_store(&turn, other);
    atomic_store(&wants[me], 1);
    if (!atomic_load(&wants[other]) || atomic_load(&turn) == me) {
        assert(atomic_fetch_add(&inside, 1) == 0); //~ BUG assertion
        atomic_fetch_sub(&inside, 1);
    }
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, try_once, (void *)1);
    try_once((void *)0);
    pthread_join(thread, NULL);
    return 0;
}
