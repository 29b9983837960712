// A function whose name starts with __VERIFIER_atomic_ runs as one step.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

static int counter, copies;

void __VERIFIER_atomic_increment(void)
{
    counter++;
    copies++;
}

int __VERIFIER_atomic_difference(void)
{
    return counter - copies;
}

static void *work(void *arg)
{
    __VERIFIER_atomic_increment();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    assert(__VERIFIER_atomic_difference() == 0);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
