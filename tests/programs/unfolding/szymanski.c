// Szymanski's mutual exclusion of two threads that give up a round where they would have to wait, so that no loop is without a bound. With ROUNDS=1 there are 124 traces, of which `classes` knows. A
// write that follows a read of the other's flag is the same event whichever value a third access saw, so read arcs need fewer tests.
//@ check --races ignore --cflag=-DROUNDS=1: safe executions=124
//@ check --races ignore --cflag=-DROUNDS=1 --strategy classes: safe
//@ check --races ignore --cflag=-DROUNDS=1 --strategy unfold: safe executions=124
//@ check --races ignore --cflag=-DROUNDS=1 --strategy contextual: safe executions=80
//@ check --races ignore --cflag=-DROUNDS=1 --strategy stateful: safe
//@ check --races ignore --cflag=-DROUNDS=1 --strategy stateful-naive: safe
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 2
#endif

static atomic_int flag[2];
static int counter;

/* Whether the thread got into the critical section, and out of it again. */
static int enter(int me)
{
    int other = 1 - me;
    atomic_store(&flag[me], 1);
    if (atomic_load(&flag[other]) >= 3)
        return 0;
    atomic_store(&flag[me], 3);
    if (atomic_load(&flag[other]) == 1) {
        atomic_store(&flag[me], 2);
        if (atomic_load(&flag[other]) != 4)
            return 0;
    }
    atomic_store(&flag[me], 4);
    if (me == 1 && atomic_load(&flag[0]) >= 2)
        return 0;
    counter++;
    if (me == 0 && (atomic_load(&flag[1]) & ~1) == 2)
        return 0;
    atomic_store(&flag[me], 0);
    return 1;
}

static void *work(void *arg)
{
    for (int round = 0; round < ROUNDS; round++)
        enter((int)(long)arg);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
