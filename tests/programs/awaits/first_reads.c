// Each thread reads its number first of all. Main writes them before it creates the threads, and again after it has joined them, so nobody
// sees when they are read: one execution. Without the joins the array ends while they may still read.
//@ check: safe executions=1 blocked=0
//@ check --cflag=-DLEAVES: bug use-after-free
#include <assert.h>
#include <pthread.h>

#define N 3

static int seen[N];

static void *work(void *arg)
{
    int number = *(int *)arg;
    seen[number] = number + 1;
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    int numbers[N];
    for (int n = 0; n < N; n++) {
        numbers[n] = n;
        pthread_create(&threads[n], NULL, work, &numbers[n]);
    }
#ifndef LEAVES
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    for (int n = 0; n < N; n++) {
        numbers[n] = 0;
        assert(seen[n] == n + 1);
    }
#endif
    return 0;
}
