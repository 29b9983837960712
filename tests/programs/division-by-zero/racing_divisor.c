// The divisor is checked, then cleared by the other thread, then used. Traces: the write before both reads,
// between them, behind them.
//@ check: bug division-by-zero executions=3 blocked=0
//@ check --strategy exhaustive: bug division-by-zero
//@ check --strategy random --runs 300: bug division-by-zero
#include <pthread.h>
#include <stdatomic.h>

static atomic_int workers = 2;

static void *leave(void *arg)
{
    atomic_store(&workers, 0);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int share = 0;
    pthread_create(&thread, NULL, leave, NULL);
    if (atomic_load(&workers) > 0)
        share = 100 / atomic_load(&workers); //~ BUG division-by-zero
    pthread_join(thread, NULL);
    return share > 50;
}
