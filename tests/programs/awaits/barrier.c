// N threads meet twice at a barrier with a sense that turns over. They arrive in one of N! orders each time, and who waits goes on when the sense is
// right: (3!)^2 executions. Each arrival sees how many came before it, so none of these orders is the same as another.
//@ check: safe executions=36 blocked=0
//@ check --cflag=-DN=2: safe executions=4 blocked=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int left = N, sense;
static int parts[N];

static void meet(int *mine)
{
    *mine = !*mine;
    if (atomic_fetch_sub(&left, 1) == 1) {
        atomic_store(&left, N);
        atomic_store(&sense, *mine);
    } else {
        while (atomic_load(&sense) != *mine) {
        }
    }
}

static void *work(void *arg)
{
    int mine = 0, *part = arg;
    *part = 1;
    meet(&mine);
    for (int n = 0; n < N; n++)
        assert(parts[n] == 1);
    meet(&mine);
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, work, &parts[n]);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
