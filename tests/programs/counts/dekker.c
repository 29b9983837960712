// Dekker's mutual exclusion of two threads. There is no formula for the traces: `classes` tries all 830 schedules and finds 17 traces, and dpor executes
// as many.
//@ check: safe executions=17 blocked=0
//@ check --strategy classes: safe executions=830 blocked=0
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
