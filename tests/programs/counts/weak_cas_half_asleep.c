// A weak exchange that succeeds was explored and sleeps, while its failure is still to be explored. The failure has no race with the
// one who looks, and yet that one must look before the exchange succeeds, too. Traces: the message is sent before or after it is read
// (2), and for each the exchange fails (1), or succeeds before the other thread looks or after (2). Schedules, which `classes`
// executes: 6 orders of the two steps of either side, for 2 variants of the exchange.
//@ check --weak-cas-fails: safe executions=6 blocked=0
//@ check --weak-cas-fails --strategy dpor-classic: safe executions=6
//@ check --weak-cas-fails --strategy classes: safe executions=12 blocked=0
#include <pthread.h>
#include <stdatomic.h>

static atomic_int message, b;

static void *exchanges(void *arg)
{
    int zero = 0;
    (void)atomic_load(&message);
    atomic_compare_exchange_weak(&b, &zero, 2);
    return arg;
}

static void *looks(void *arg)
{
    (void)atomic_load(&b);
    return arg;
}

int main(void)
{
    pthread_t x, y;
    pthread_create(&x, NULL, exchanges, NULL);
    atomic_store(&message, 1);
    pthread_create(&y, NULL, looks, NULL);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
    return 0;
}
