// SV-COMP style: reaching reach_error is the violation. Here it needs both increments to overlap.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy random --runs 300: bug assertion
#include <pthread.h>
#include <stdatomic.h>

extern void reach_error(void);

static atomic_int x;

static void *increment(void *arg)
{
    int seen = atomic_load(&x);
    atomic_store(&x, seen + 1);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, increment, NULL);
    pthread_create(&b, NULL, increment, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (atomic_load(&x) == 1)
        reach_error(); //~ BUG assertion
    return 0;
}
