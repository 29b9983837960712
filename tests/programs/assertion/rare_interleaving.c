// Three flags must be raised between four reads, each at its own moment: one interleaving of a few hundred.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int clock_hand;

static void *tick(void *arg)
{
    for (int i = 1; i <= 3; i++)
        atomic_store(&clock_hand, i);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int matches = 0;
    pthread_create(&thread, NULL, tick, NULL);
    for (int i = 0; i <= 3; i++)
        matches += atomic_load(&clock_hand) == i;
    assert(matches < 4); //~ BUG assertion
    pthread_join(thread, NULL);
    return 0;
}
