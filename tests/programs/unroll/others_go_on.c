// The worker polls with an effect, so it does not merely wait, and may poll for ever. Whoever runs it to the bound first must still see what main does
// meanwhile: main finds three polls, after the worker went back twice, and so it is in every strategy.
//@ check --unroll 2: bug assertion
//@ check --unroll 2 --strategy exhaustive: bug assertion
//@ check --unroll 1: bounded
//@ check --unroll 1 --strategy exhaustive: bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stop, polls;

static void *poll(void *arg)
{
    while (!atomic_load(&stop))
        atomic_fetch_add(&polls, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, poll, NULL);
    assert(atomic_load(&polls) != 3); //~ BUG assertion
    atomic_store(&stop, 1);
    pthread_join(thread, NULL);
    return 0;
}
