// Peterson's entry tried once instead of spun on: the loser withdraws. Small enough for every schedule.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2], turn;
static int counter;

static void *try_once(void *arg)
{
    int me = (int)(intptr_t)arg, other = 1 - me;
    intptr_t entered = 0;
    atomic_store(&wants[me], 1);
    atomic_store(&turn, other);
    if (!atomic_load(&wants[other]) || atomic_load(&turn) == me) {
        counter++;
        entered = 1;
    }
    atomic_store(&wants[me], 0);
    return (void *)entered;
}

int main(void)
{
    pthread_t thread;
    void *other;
    pthread_create(&thread, NULL, try_once, (void *)1);
    intptr_t mine = (intptr_t)try_once((void *)0);
    pthread_join(thread, &other);
    assert(counter == mine + (intptr_t)other);
    return 0;
}
