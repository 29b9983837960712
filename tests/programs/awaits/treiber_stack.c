// N threads push a node and pop one, on Treiber's stack without reclamation. Where a round begins with a load, as Treiber has it, a swap that fails leaves nothing
// behind, and its round is dropped: 858 executions with 3 threads. A tool that takes a failed swap for a later first load counts 3,600.
// With HANDS_ON a swap that fails hands on what it found. That is no waiting, and every number of failures is a trace of its own: 15,846 executions.
//@ check: safe executions=858 blocked=1557
//@ check --cflag=-DN=2: safe executions=12 blocked=8
//@ check --cflag=-DN=2 --cflag=-DHANDS_ON: safe executions=34 blocked=6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

struct node {
    struct node *next;
};

static _Atomic(struct node *) top;
static struct node nodes[N];

#ifdef HANDS_ON
static void push(struct node *node)
{
    struct node *seen = atomic_load(&top);
    do
        node->next = seen;
    while (!atomic_compare_exchange_strong(&top, &seen, node));
}

static struct node *pop(void)
{
    struct node *seen = atomic_load(&top);
    while (seen && !atomic_compare_exchange_strong(&top, &seen, seen->next)) {
    }
    return seen;
}
#else
static void push(struct node *node)
{
    struct node *seen;
    do {
        seen = atomic_load(&top);
        node->next = seen;
    } while (!atomic_compare_exchange_strong(&top, &seen, node));
}

static struct node *pop(void)
{
    struct node *seen;
    do
        seen = atomic_load(&top);
    while (seen && !atomic_compare_exchange_strong(&top, &seen, seen->next));
    return seen;
}
#endif

static void *work(void *arg)
{
    push(arg);
    assert(pop());
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, work, &nodes[n]);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
