// A weak exchange fails in one of two ways, for the value or for no reason, whichever of two writes it sees. The process ends behind it,
// whoever has written by then. For each way of failing: nobody has (1), one of the two has, before or after the exchange (4), or both, in
// either order, with the exchange before, between or after them (6).
//@ check --weak-cas-fails: safe executions=22 blocked=0
//@ check --weak-cas-fails --observers: safe executions=22 blocked=0
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
