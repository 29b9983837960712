// Peterson's mutual exclusion of two threads. There is no formula for the traces: `classes` tries all schedules of one round and finds 4 traces of complete
// executions and 6 that a round of waiting without effect ends, of two rounds 48 and 88, and dpor executes as many. Three rounds are recorded as dpor
// counts them.
//@ check: safe executions=4 blocked=6
//@ check --strategy classes: safe executions=32 blocked=260
//@ check --cflag=-DROUNDS=2: safe executions=48 blocked=88
//@ check --cflag=-DROUNDS=3: safe executions=588 blocked=1098
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 1
#endif

static atomic_int wants[2], turn;
static int counter;

static void *work(void *arg)
{
    int me = (int)(intptr_t)arg, other = 1 - me;
    for (int round = 0; round < ROUNDS; round++) {
        atomic_store(&wants[me], 1);
        atomic_store(&turn, other);
        while (atomic_load(&wants[other]) && atomic_load(&turn) == other) {
        }
        counter++;
        atomic_store(&wants[me], 0);
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
