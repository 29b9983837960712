// N threads put four messages each into a hash table of 128 places by compare-and-swap (the indexer of Flanagan and Godefroid). Up to 11 threads do
// not collide; with 15 there are 4,096 traces.
//@ check --races ignore --cflag=-DN=11: safe executions=1 blocked=0
//@ check --races ignore --cflag=-DN=12: safe executions=8 blocked=0
//@ check --races ignore --cflag=-DN=15: safe executions=4096 blocked=0
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 11
#endif
#define SIZE 128
#define MAX 4

static atomic_int table[SIZE];

static void *insert(void *arg)
{
    int tid = (int)(intptr_t)arg, m = 0;
    while (m < MAX) {
        int w = ++m * 11 + tid;
        int h = (w * 7) % SIZE;
        int expected = 0;
        while (!atomic_compare_exchange_strong(&table[h], &expected, w)) {
            h = (h + 1) % SIZE;
            expected = 0;
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (intptr_t n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, insert, (void *)n);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
