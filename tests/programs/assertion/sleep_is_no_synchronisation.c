// A long sleep makes an order likely, never certain.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy random --runs 100: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int ready;

static void *prepare(void *arg)
{
    atomic_store(&ready, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, prepare, NULL);
    sleep(10);
    assert(atomic_load(&ready)); //~ BUG assertion
    pthread_join(thread, NULL);
    return 0;
}
