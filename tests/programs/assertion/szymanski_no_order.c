// Szymanski's algorithm without the last wait for threads of lower number: both may go through the door together.
//@ check --strategy random --runs 1000: bug assertion
//@ check --strategy pos --runs 1000: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int flag[2], inside;

static void *work(void *arg)
{
    int me = (int)(intptr_t)arg, other = 1 - me;
    atomic_store(&flag[me], 1);
    while (atomic_load(&flag[other]) >= 3) {
    }
    atomic_store(&flag[me], 3);
    if (atomic_load(&flag[other]) == 1) {
        atomic_store(&flag[me], 2);
        while (atomic_load(&flag[other]) != 4) {
        }
    }
    atomic_store(&flag[me], 4);
    assert(atomic_fetch_add(&inside, 1) == 0); //~ BUG assertion
    atomic_fetch_sub(&inside, 1);
    for (;;) {
        int theirs = atomic_load(&flag[other]);
        if (theirs != 2 && theirs != 3)
            break;
    }
    atomic_store(&flag[me], 0);
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
