// One thread writes, 62 do nothing, two read twice: each reader sees 00, 01 or 11, so there are nine traces. Threads from the
// sixty-fifth on were once taken for others.
//@ check --races ignore: safe executions=9
//@ check --races ignore --strategy dpor-classic: safe executions=9
//@ check --races ignore --jobs 2: safe executions=9
#include <pthread.h>
#include <stdatomic.h>

#ifndef IDLE
#define IDLE 62
#endif

static atomic_int x;

static void *writes(void *arg)
{
    x = 1;
    return arg;
}

static void *idles(void *arg)
{
    return arg;
}

static void *reads(void *arg)
{
    int first = x, second = x;
    return first == second ? arg : 0;
}

int main(void)
{
    pthread_t threads[IDLE + 3];
    pthread_create(&threads[0], 0, writes, 0);
    for (int i = 1; i <= IDLE; i++)
        pthread_create(&threads[i], 0, idles, 0);
    pthread_create(&threads[IDLE + 1], 0, reads, 0);
    pthread_create(&threads[IDLE + 2], 0, reads, 0);
    for (int i = 0; i < IDLE + 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
