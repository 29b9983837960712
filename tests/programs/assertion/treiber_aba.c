// The ABA problem of Treiber's stack: the thread loads top = a and next = b, main pops a, pops b and pushes a back,
// and the thread's exchange succeeds although b is no longer in the stack. b, which main owns, is on top again.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy pct --runs 1000 --depth 2: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    _Atomic(struct node *) next;
};

static struct node b, a = {&b};
static _Atomic(struct node *) top = &a;

static void push(struct node *node)
{
    struct node *old = atomic_load(&top);
    do
        atomic_store(&node->next, old);
    while (!atomic_compare_exchange_strong(&top, &old, node));
}

static struct node *pop(void)
{
    struct node *old = atomic_load(&top);
    while (old != NULL && !atomic_compare_exchange_strong(&top, &old, atomic_load(&old->next))) {
    }
    return old;
}

static void *pop_one(void *arg)
{
    (void)arg;
    return pop();
}

int main(void)
{
    pthread_t thread;
    void *theirs;
    pthread_create(&thread, NULL, pop_one, NULL);
    struct node *first = pop();
    struct node *second = pop();
    if (first != NULL)
        push(first);
    pthread_join(thread, &theirs);
    for (struct node *node = atomic_load(&top); node != NULL; node = atomic_load(&node->next))
        assert(node != second); //~ BUG assertion
    return 0;
}
