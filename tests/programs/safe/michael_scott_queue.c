// The lock-free queue of Michael and Scott: one thread enqueues, main dequeues once. The dequeued value is the
// enqueued one or the queue was still empty. Nodes live until the end, so no ABA.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

static struct node dummy;
static _Atomic(struct node *) head = &dummy, tail = &dummy;

static void enqueue(struct node *node)
{
    for (;;) {
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&last->next);
        if (next != NULL) {
            atomic_compare_exchange_strong(&tail, &last, next);
        } else if (atomic_compare_exchange_strong(&last->next, &next, node)) {
            atomic_compare_exchange_strong(&tail, &last, node);
            return;
        }
    }
}

static bool dequeue(int *value)
{
    for (;;) {
        struct node *first = atomic_load(&head);
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&first->next);
        if (next == NULL)
            return false;
        if (first == last) {
            atomic_compare_exchange_strong(&tail, &last, next);
        } else {
            *value = next->value;
            if (atomic_compare_exchange_strong(&head, &first, next))
                return true;
        }
    }
}

static void *producer(void *arg)
{
    enqueue(arg);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int value = 0;
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        return 1;
    node->value = 5;
    atomic_init(&node->next, NULL);
    pthread_create(&thread, NULL, producer, node);
    bool first = dequeue(&value);
    assert(!first || value == 5);
    pthread_join(thread, NULL);
    bool second = dequeue(&value);
    assert(first != second && value == 5);
    free(node);
    return 0;
}
