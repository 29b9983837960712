// N threads write one variable, and one that waits for their ends writes it again. Nobody reads what they wrote: N! orders of the
// writes, or one if those are not told apart.
//@ check --races ignore --cflag=-DN=3: safe executions=6 blocked=0
//@ check --races ignore --cflag=-DN=5: safe executions=120 blocked=0
//@ check --observers --races ignore --cflag=-DN=3: safe executions=1 blocked=0
//@ check --observers --races ignore --cflag=-DN=30: safe executions=1 blocked=0
// Plain writes are ordered where data races are reported.
//@ check --observers --cflag=-DN=3: bug data-race
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif

static int shared;

static void *write_it(void *arg)
{
    shared = (int)(intptr_t)arg;
    return NULL;
}

static void *write_last(void *arg)
{
    pthread_t *threads = arg;
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    shared = -1;
    return NULL;
}

int main(void)
{
    pthread_t threads[N], last;
    for (intptr_t n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, write_it, (void *)n);
    pthread_create(&last, NULL, write_last, threads);
    pthread_join(last, NULL);
    return shared != -1;
}
