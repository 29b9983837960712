// N threads pass a token around: each waits until it holds the token, and hands it to the next. A look is possible only where it shows the token: one trace.
//@ check --cflag=-DN=2: safe executions=1 blocked=0
//@ check --cflag=-DN=3: safe executions=1 blocked=0
//@ check --cflag=-DN=8: safe executions=1 blocked=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif

static atomic_int token[N + 1];
static int passed;

static void *pass(void *arg)
{
    int me = (int)(intptr_t)arg;
    while (!atomic_load(&token[me])) {
    }
    passed++;
    atomic_store(&token[me + 1], 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    atomic_store(&token[0], 1);
    for (intptr_t n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, pass, (void *)n);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    assert(passed == N && token[N]);
    return 0;
}
