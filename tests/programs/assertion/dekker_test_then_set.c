// Looking at the other's flag before raising one's own: both look, both enter.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy random --runs 500: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2], inside;

static void *try_once(void *arg)
{
    int me = (int)(intptr_t)arg;
    if (!atomic_load(&wants[1 - me])) {
        atomic_store(&wants[me], 1);
        assert(atomic_fetch_add(&inside, 1) == 0); //~ BUG assertion
        atomic_fetch_sub(&inside, 1);
        atomic_store(&wants[me], 0);
    }
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
