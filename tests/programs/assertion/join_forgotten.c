// The result is read before the worker is joined.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int result;

static void *work(void *arg)
{
    atomic_store(&result, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    assert(atomic_load(&result) == 1); //~ BUG assertion
    pthread_join(thread, NULL);
    return 0;
}
