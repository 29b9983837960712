// The bug needs the worker's fifth increment, which comes after it went back four times: three are too few to find it, and the verdict does not
// say more than that. The test of a bug within the bound replays under the same bound.
//@ check --unroll 4: bug assertion
//@ check --unroll 3: inconclusive
//@ check --unroll 3 --strategy exhaustive: inconclusive
//@ check --unroll 6 --strategy random: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int rounds;

static void *work(void *arg)
{
    for (int i = 0; i < 6; i++)
        atomic_fetch_add(&rounds, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    assert(atomic_load(&rounds) != 5); //~ BUG assertion
    pthread_join(thread, NULL);
    return 0;
}
