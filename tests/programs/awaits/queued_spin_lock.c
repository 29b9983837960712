// N threads take a queued spin lock in the manner of Linux once: who finds it free takes the lock word at once; the first who waits sets a pending
// bit and spins on the lock word; the others queue up behind it with a node of their own.
// 72 executions with three threads; other tools need 234 for the lock of Linux, which has a pending bit besides.
//@ check: safe executions=72 blocked=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

struct node {
    _Atomic(struct node *) next;
    atomic_int waits;
};

static atomic_int locked;
static _Atomic(struct node *) tail;
static struct node nodes[N];
static int counter;

static void take(struct node *me)
{
    int expected = 0;
    if (!atomic_load(&tail) && atomic_compare_exchange_strong(&locked, &expected, 1))
        return;
    atomic_store(&me->waits, 1);
    struct node *before = atomic_exchange(&tail, me);
    if (before) {
        atomic_store(&before->next, me);
        while (atomic_load(&me->waits)) {
        }
    }
    // The head of the queue waits for the lock word alone.
    expected = 0;
    while (!atomic_compare_exchange_strong(&locked, &expected, 1))
        expected = 0;
    struct node *mine = me;
    if (!atomic_compare_exchange_strong(&tail, &mine, NULL)) {
        while (!atomic_load(&me->next)) {
        }
        atomic_store(&atomic_load(&me->next)->waits, 0);
    }
}

static void *work(void *arg)
{
    take(arg);
    counter++;
    atomic_store(&locked, 0);
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
