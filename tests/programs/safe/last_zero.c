// Worker i writes a[i] = a[i-1] + 1 while main looks for the last zero from the end. a[0] stays zero, so the search always ends inside.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { N = 2 };

static atomic_int a[N + 1];

static void *work(void *arg)
{
    intptr_t i = (intptr_t)arg;
    atomic_store(&a[i], atomic_load(&a[i - 1]) + 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    int i = N;
    for (intptr_t t = 0; t < N; t++)
        pthread_create(&threads[t], NULL, work, (void *)(t + 1));
    while (i > 0 && atomic_load(&a[i]) != 0)
        i--;
    assert(i >= 0 && (i > 0 || atomic_load(&a[0]) == 0));
    for (int t = 0; t < N; t++)
        pthread_join(threads[t], NULL);
    return 0;
}
