// Mutual exclusion by a flag that is looked at and then raised: both threads can see it down. That one of them notices takes three context
// switches, but a single interference: it reads `owner` as the other one, which it overtook, wrote it. So a bound on interferences finds early
// what a bound on context switches finds late, which is what a program of this name was for (Razavi, Farzan and Holzer, 2012).
// Two threads, no inputs.
//@ check: bug assertion executions=18 blocked=0
//@ check --cflag=-DFIXED: safe executions=4 blocked=0
//@ check --strategy interference --max-interferences 0: bounded executions=4
//@ check --strategy interference --max-interferences 1: bug assertion executions=8
//@ check --cflag=-DFIXED --strategy interference: safe executions=6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static atomic_bool busy;
static atomic_int owner;

static bool enter(void)
{
#ifdef FIXED
    return !atomic_exchange(&busy, true);
#else
    if (atomic_load(&busy))
        return false;
    atomic_store(&busy, true);
    return true;
#endif
}

static void leave(void)
{
    atomic_store(&busy, false);
}

static void *work(void *arg)
{
    int me = (int)(intptr_t)arg;
    if (enter()) {
        owner = me;
        assert(owner == me); //~ BUG assertion
        leave();
    }
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, work, (void *)1);
    pthread_create(&second, NULL, work, (void *)2);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
