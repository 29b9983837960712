// A weak compare-and-swap may fail again: after the first failure the state is another one, although only memory of the thread's own tells.
//@ check --weak-cas-fails: bug assertion
//@ check --weak-cas-fails --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int word;
static _Thread_local int failures;

__attribute__((noinline)) static int *count(void)
{
    return &failures;
}

static void *swap(void *arg)
{
    int expected = 0;
    while (!atomic_compare_exchange_weak(&word, &expected, 1)) {
        expected = 0;
        assert(++*count() < 2); //~ BUG assertion
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, swap, NULL);
    pthread_join(thread, NULL);
    return 0;
}
