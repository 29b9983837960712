// Szymanski's algorithm for two threads: a waiting room (flag 3) whose door the last one closes (flag 4).
//@ check --strategy random --runs 200: bounded
//@ check --strategy pos --runs 200: bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int flag[2];
static int counter;

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
    if (me == 1) {
        while (atomic_load(&flag[other]) >= 2) {
        }
    }
    counter++;
    if (me == 0) {
        for (;;) {
            int theirs = atomic_load(&flag[other]);
            if (theirs != 2 && theirs != 3)
                break;
        }
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
    assert(counter == 2);
    return 0;
}
