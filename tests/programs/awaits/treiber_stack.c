// N threads push a node and pop one, on Treiber's stack without reclamation. A swap that fails hands on what it read, so its round is no waiting,
// and every number of failures is a trace of its own: 15,846 executions with 3 threads. A tool that takes a failed swap for a later first load counts 3,600.
//@ check --cflag=-DN=2: safe
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
