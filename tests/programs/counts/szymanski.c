// Szymanski's mutual exclusion of two threads. There is no formula for the traces: `classes` tries all 412 schedules and finds 29 traces, and dpor executes
// as many.
//@ check: safe executions=29 blocked=0
//@ check --strategy classes: safe executions=412 blocked=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 1
#endif

static atomic_int flag[2];
static int counter;

static void *work(void *arg)
{
    int me = (int)(intptr_t)arg, other = 1 - me;
    for (int round = 0; round < ROUNDS; round++) {
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
        if (me == 1)
            while (atomic_load(&flag[0]) >= 2) {
            }
        counter++;
        if (me == 0)
            while ((atomic_load(&flag[1]) & ~1) == 2) {
            }
        atomic_store(&flag[me], 0);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, (void *)0);
    pthread_create(&b, NULL, work, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2 * ROUNDS);
    return 0;
}
