// Dekker's mutual exclusion of two threads. There is no formula for the traces: `classes` tries all schedules and finds 3 traces of complete
// executions (who enters first, and whether the other noticed in time to give way) and 6 that a round without effect or without net effect ends, and dpor executes as many.
//@ check: safe executions=3 blocked=6
//@ check --strategy classes: safe executions=16 blocked=157
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
        while (atomic_load(&wants[other])) {
            if (atomic_load(&turn) != me) {
                atomic_store(&wants[me], 0);
                while (atomic_load(&turn) != me) {
                }
                atomic_store(&wants[me], 1);
            }
        }
        counter++;
        atomic_store(&turn, other);
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
