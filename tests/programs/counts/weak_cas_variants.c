// A weak exchange that fails is the same step before and after another that fails: to plan its success before the other does not plan
// its failure there, which would be in vain. Traces: the exchange of 0 fails weakly, and the other fails in one of its two ways (2); it
// succeeds before the other fails in one of two ways (2), or after (2).
//@ check --weak-cas-fails: safe executions=6 blocked=0
#include <pthread.h>
#include <stdatomic.h>

static atomic_int b;

static void *fails(void *arg)
{
    int one = 1;
    atomic_compare_exchange_weak(&b, &one, 3);
    return arg;
}

static void *may_succeed(void *arg)
{
    int zero = 0;
    atomic_compare_exchange_weak(&b, &zero, 2);
    return arg;
}

int main(void)
{
    pthread_t x, y;
    pthread_create(&x, NULL, fails, NULL);
    pthread_create(&y, NULL, may_succeed, NULL);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
    return 0;
}
