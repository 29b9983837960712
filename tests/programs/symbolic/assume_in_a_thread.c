// What one thread assumes about an input says nothing about what another did with it before.
//@ check: bug assertion
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
static int input;

static void *assumes(void *arg)
{
    __VERIFIER_assume(input != 77);
    return arg;
}

static void *fails(void *arg)
{
    assert(input != 77); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t a, b;
    input = __VERIFIER_nondet_int();
    pthread_create(&a, 0, assumes, 0);
    pthread_create(&b, 0, fails, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
