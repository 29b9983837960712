// Lamport's bakery for two threads. There is no formula for the traces: `classes` tries all schedules of one round and finds 9 traces of complete executions and
// 7 that a round of waiting without effect ends, and dpor executes as many. More rounds are recorded as dpor counts them.
//@ check: safe executions=9 blocked=7
//@ check --strategy classes: safe executions=994 blocked=6470
//@ check --cflag=-DROUNDS=2: safe executions=213 blocked=200
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 1
#endif

static atomic_int choosing[2], number[2];
static int counter;

static void *work(void *arg)
{
    int me = (int)(intptr_t)arg, other = 1 - me;
    for (int round = 0; round < ROUNDS; round++) {
        atomic_store(&choosing[me], 1);
        atomic_store(&number[me], atomic_load(&number[other]) + 1);
        atomic_store(&choosing[me], 0);
        while (atomic_load(&choosing[other])) {
        }
        for (;;) {
            int theirs = atomic_load(&number[other]), mine = atomic_load(&number[me]);
            if (theirs == 0 || mine < theirs || (mine == theirs && me < other))
                break;
        }
        counter++;
        atomic_store(&number[me], 0);
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
