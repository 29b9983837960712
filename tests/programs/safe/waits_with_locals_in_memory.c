// Waiting loops are seen as such also where locals stay in memory. With `--uninit` the loop is no await, and a round without effect is cut off.
//@ check: safe executions=1 blocked=0
//@ check --uninit: safe executions=1 blocked=1
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;

static void *set(void *arg)
{
    done = 1;
    return arg;
}

int main(void)
{
    pthread_t thread;
    int seen;
    pthread_create(&thread, NULL, set, NULL);
    do {
        seen = done;
    } while (!seen);
    return 0;
}
