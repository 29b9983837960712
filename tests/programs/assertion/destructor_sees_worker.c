// Destructors of the program run while other threads do.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;

__attribute__((destructor)) static void end(void)
{
    assert(atomic_load(&done) == 0); //~ BUG assertion
}

static void *work(void *arg)
{
    atomic_store(&done, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
