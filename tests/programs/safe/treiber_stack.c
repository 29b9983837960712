// Treiber's stack: each thread pushes one node and pops one. Nodes are freed after the joins, so a node's address never
// comes back during the run and there is no ABA. Whoever pops finds something, and never the same node as the other.
//@ check --strategy exhaustive --leaks: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
};

static _Atomic(struct node *) top;

static void push(struct node *node)
{
    struct node *old = atomic_load(&top);
    do
        node->next = old;
    while (!atomic_compare_exchange_strong(&top, &old, node));
}

static struct node *pop(void)
{
    struct node *old = atomic_load(&top);
    while (old != NULL && !atomic_compare_exchange_strong(&top, &old, old->next)) {
    }
    return old;
}

static void *work(void *arg)
{
    (void)arg;
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        abort();
    push(node);
    return pop();
}

int main(void)
{
    pthread_t thread;
    void *theirs;
    pthread_create(&thread, NULL, work, NULL);
    struct node *mine = work(NULL);
    pthread_join(thread, &theirs);
    assert(mine != NULL && theirs != NULL && mine != theirs);
    assert(atomic_load(&top) == NULL);
    free(mine);
    free(theirs);
    return 0;
}
