// N threads each set their place to one more than the place before it, while one looks for the last zero from the end: (N + 3) * 2^(N - 2)
// traces, 15,360 with 12, the count that other tools agree on.
//@ check --races ignore --cflag=-DN=2: safe executions=5 blocked=0
//@ check --races ignore --cflag=-DN=12: safe executions=15360 blocked=0
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif

static int array[N + 1];

static void *find_last_zero(void *arg)
{
    int i = N;
    while (array[i] != 0)
        i--;
    (void)arg;
    return NULL;
}

static void *set(void *arg)
{
    int j = (int)(intptr_t)arg;
    array[j] = array[j - 1] + 1;
    return NULL;
}

int main(void)
{
    pthread_t threads[N + 1];
    pthread_create(&threads[0], NULL, find_last_zero, NULL);
    for (intptr_t j = 1; j <= N; j++)
        pthread_create(&threads[j], NULL, set, (void *)j);
    for (int j = 0; j <= N; j++)
        pthread_join(threads[j], NULL);
    return 0;
}
