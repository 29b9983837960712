// Two threads add the other's number to their own twice. Only perfect alternation reaches 8 = fib(6): one schedule class of many.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int i = 1, j = 1;

static void *add_to_j(void *arg)
{
    for (int n = 0; n < 2; n++)
        atomic_store(&j, atomic_load(&j) + atomic_load(&i));
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add_to_j, NULL);
    for (int n = 0; n < 2; n++)
        atomic_store(&i, atomic_load(&i) + atomic_load(&j));
    pthread_join(thread, NULL);
    assert(i < 8 && j < 8); //~ BUG assertion
    return 0;
}
