// Whoever waits counts how often it looked, so that no two looks are the same and the loop goes on to the bound. The other thread must get to run
// all the same.
//@ check: bug assertion
//@ check --strategy=exhaustive --max-steps=50: bug assertion
//@ check --strategy=dpor --max-steps=50: bug assertion
//@ check --strategy=dpor-classic --max-steps=50: bug assertion
//@ check --strategy=dpor-classic: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;

static void *set(void *arg)
{
    done = 1;
    return arg;
}

int main(void)
{
    pthread_t thread;
    int n = 0;
    pthread_create(&thread, NULL, set, NULL);
    while (!done)
        n++;
    assert(n < 0); //~ BUG assertion
    return 0;
}
