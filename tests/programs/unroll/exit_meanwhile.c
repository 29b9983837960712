// main ends the process while a worker goes round for ever. In the executions in which the worker comes to the bound first, the process still ends; the
// verdict says that there was a bound all the same.
//@ check --unroll 2: bounded
//@ check --unroll 2 --strategy exhaustive: bounded
#include <pthread.h>
#include <stdatomic.h>

static atomic_int rounds;

static void *work(void *arg)
{
    for (;;)
        atomic_fetch_add(&rounds, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
