// The bakery without its choosing flags: a thread between reading the numbers and writing its own is overlooked.
//@ check --strategy random --runs 2000: bug assertion
//@ check --strategy pos --runs 2000: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int number[2], inside;

static void *work(void *arg)
{
    int me = (int)(intptr_t)arg, other = 1 - me;
    int mine = atomic_load(&number[other]) + 1;
    atomic_store(&number[me], mine);
    for (;;) {
        int theirs = atomic_load(&number[other]);
        if (theirs == 0 || theirs > mine || (theirs == mine && other > me))
            break;
    }
    assert(atomic_fetch_add(&inside, 1) == 0); //~ BUG assertion
    atomic_fetch_sub(&inside, 1);
    atomic_store(&number[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, (void *)1);
    work((void *)0);
    pthread_join(thread, NULL);
    return 0;
}
