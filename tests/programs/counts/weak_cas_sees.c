// A weak exchange fails in one of two ways, for the value or for no reason, whichever of two writes it sees. For each way of failing both writes
// are made, in either order, with the exchange before, between or after them: 6. With `--observers` some of them are made more than once.
//@ check --weak-cas-fails: safe executions=12 blocked=0
//@ check --weak-cas-fails --observers: safe executions=16 blocked=0
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a;

static void *writes(void *arg)
{
    a = 0;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, writes, NULL);
    int one = 1;
    atomic_compare_exchange_weak(&a, &one, 3);
    return 0;
}
