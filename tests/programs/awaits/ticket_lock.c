// N threads pass a ticket lock. Tickets are drawn in one of N! orders, and from there on each thread can go on in one way only: a look that finds another
// ticket served is no step. N! executions.
//@ check --cflag=-DN=3: safe executions=6 blocked=0
//@ check --cflag=-DN=4: safe executions=24 blocked=0
//@ check --cflag=-DN=5: safe executions=120 blocked=0
//@ check --cflag=-DN=3 --cflag=-DPAUSES: safe executions=6 blocked=0
//@ check --cflag=-DN=3 --strategy dpor-classic: safe executions=6
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#ifndef N
#define N 3
#endif

static atomic_int next_ticket, serving;
static int counter;

static int is_served(int ticket)
{
    return atomic_load(&serving) == ticket;
}

static void *work(void *arg)
{
    int mine = atomic_fetch_add(&next_ticket, 1);
#ifdef PAUSES
    // The look stands in a function of its own, and the loop lets others go on in three ways.
    while (!is_served(mine)) {
        sched_yield();
        __builtin_ia32_pause();
        usleep(10);
    }
#else
    while (atomic_load(&serving) != mine) {
    }
#endif
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
    assert(counter == N && !is_served(0));
    return 0;
}
