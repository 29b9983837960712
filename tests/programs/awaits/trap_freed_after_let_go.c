// Main lets the waiter go and then frees what it looks at. The waiter may look before that, too.
//@ check: bug assertion,data-race,use-after-free
//@ check --strategy exhaustive: bug assertion,data-race,use-after-free
//@ check --strategy dpor-classic: bug assertion,data-race,use-after-free
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static void *waits(void *arg)
{
    atomic_int *flag = arg;
    while (!atomic_load(flag)) { //~ BUG use-after-free
    }
    assert(0); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t thread;
    atomic_int *flag = calloc(1, sizeof *flag);
    pthread_create(&thread, NULL, waits, flag);
    atomic_store(flag, 1);
    free(flag);
    pthread_join(thread, NULL);
    return 0;
}
