// Read and write are each in an atomic block, but not in the same one.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int counter;

static void *increment(void *arg)
{
    __VERIFIER_atomic_begin();
    int seen = counter;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    counter = seen + 1;
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, increment, NULL);
    increment(NULL);
    pthread_join(thread, NULL);
    assert(counter == 2); //~ BUG assertion
    return 0;
}
