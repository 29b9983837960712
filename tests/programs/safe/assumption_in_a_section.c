// A false assumption in an atomic section blocks the whole execution: nobody ever sees half of the section.
//@ check: safe
//@ check --strategy dpor-classic: safe
//@ check --strategy exhaustive: safe
//@ check --strategy bounded --preemptions 2: safe
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int condition), __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);

static int whole, half;

static void *writes(void *arg)
{
    __VERIFIER_atomic_begin();
    half = 1;
    __VERIFIER_assume(whole == 0);
    half = 0;
    __VERIFIER_atomic_end();
    return arg;
}

static void *looks(void *arg)
{
    __VERIFIER_atomic_begin();
    whole = 1;
    assert(half == 0);
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, writes, 0);
    pthread_create(&b, 0, looks, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
