// N threads write an atomic variable, which one more reads at some time: (N + 1)! orders. If it only matters what is read, then and at
// the end: of k writes before the read one of k is seen, and of the others one of N - k is left, or what was seen if there are none:
// 3 + 6 + 6 + 3 for N = 3, and 5 + 20 + 60 + 60 + 20 + 5 for N = 5.
//@ check --cflag=-DN=3: safe executions=24 blocked=0
//@ check --cflag=-DN=5: safe executions=720 blocked=0
//@ check --observers --cflag=-DN=3: safe executions=18 blocked=0
//@ check --observers --cflag=-DN=5: safe executions=170 blocked=0
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif

static atomic_int shared;

static void *write_it(void *arg)
{
    shared = (int)(intptr_t)arg;
    return NULL;
}

static void *read_it(void *arg)
{
    (void)arg;
    return (void *)(intptr_t)shared;
}

int main(void)
{
    pthread_t threads[N], reader;
    pthread_create(&reader, NULL, read_it, NULL);
    for (intptr_t n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, write_it, (void *)(n + 1));
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    pthread_join(reader, NULL);
    return 0;
}
