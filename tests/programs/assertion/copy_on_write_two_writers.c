// Two writers of a copy-on-write list prepend to the same old version: one of the new nodes is lost.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *next;
};

static struct node nodes[2];
static _Atomic(struct node *) list;

static void *prepend(void *arg)
{
    struct node *node = arg;
    node->next = atomic_load(&list);
    atomic_store(&list, node);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int length = 0;
    pthread_create(&thread, NULL, prepend, &nodes[1]);
    prepend(&nodes[0]);
    pthread_join(thread, NULL);
    for (struct node *node = atomic_load(&list); node != NULL; node = node->next)
        length++;
    assert(length == 2); //~ BUG assertion
    return 0;
}
