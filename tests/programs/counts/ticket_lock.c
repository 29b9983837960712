// N threads pass a ticket lock once: fetch-and-add draws a ticket, a loop waits until it is served. The tickets are drawn in one of N! orders, and
// who waits looks only when its ticket is served: N! traces.
//@ check --cflag=-DN=2: safe executions=2 blocked=0
//@ check --cflag=-DN=3: safe executions=6 blocked=0
//@ check --cflag=-DN=4: safe executions=24 blocked=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_int next_ticket, serving;
static int counter;

static void *work(void *arg)
{
    int mine = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load(&serving) != mine) {
    }
    counter++;
    atomic_store(&serving, mine + 1);
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, work, NULL);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    assert(counter == N);
    return 0;
}
