// The queue lock of Mellor-Crummey and Scott, taken once by N threads. They enter the queue in one of N! orders, and of each holder that has a successor the
// look at `next`, the swap of the tail and the successor's entry come in three orders or, where the successor came before, in fewer. Other tools count
// 1,080 executions for four threads, too.
//@ check --cflag=-DN=2: safe executions=6 blocked=0
//@ check: safe executions=1080 blocked=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 4
#endif

struct node {
    _Atomic(struct node *) next;
    atomic_int locked;
};

static _Atomic(struct node *) tail;
static struct node nodes[N];
static int counter;

static void *work(void *arg)
{
    struct node *me = arg;
    atomic_store(&me->next, NULL);
    struct node *before = atomic_exchange(&tail, me);
    if (before) {
        atomic_store(&me->locked, 1);
        atomic_store(&before->next, me);
        while (atomic_load(&me->locked)) {
        }
    }
    counter++;
    struct node *expected = me;
    if (!atomic_load(&me->next)) {
        if (atomic_compare_exchange_strong(&tail, &expected, NULL))
            return arg;
        while (!atomic_load(&me->next)) {
        }
    }
    atomic_store(&atomic_load(&me->next)->locked, 0);
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, work, &nodes[n]);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    assert(counter == N);
    return 0;
}
