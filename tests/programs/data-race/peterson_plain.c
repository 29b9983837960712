// Peterson's algorithm with plain variables excludes under sequential consistency, so nothing goes wrong here;
// but every flag access is a race, and real compilers and processors break it.
//@ check --strategy exhaustive: bug data-race
//@ check --strategy exhaustive --races ignore: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static volatile int wants[2], turn;
static atomic_int inside;

static void *try_once(void *arg)
{
    int me = (int)(intptr_t)arg, other = 1 - me;
    wants[me] = 1; //~ BUG data-race
    turn = other; //~ BUG data-race
    if (!wants[other] || turn == me) { //~ BUG data-race
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
    }
    wants[me] = 0;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, try_once, (void *)1);
    try_once((void *)0);
    pthread_join(thread, NULL);
    return 0;
}
