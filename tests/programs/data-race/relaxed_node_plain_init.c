// The value of the node is set by a plain write before it is published without a release: the reader races with that.
//@ check: bug data-race
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { _Atomic int value; int plain; };
static _Atomic(struct node *) head;
static void *writer(void *unused) {
    struct node *node = malloc(sizeof *node);
    node->plain = 1; // nobody else looks at this
    atomic_init(&node->value, 7);
    atomic_store_explicit(&head, node, memory_order_relaxed);
    return NULL;
}
static void *reader(void *unused) {
    struct node *node = atomic_load_explicit(&head, memory_order_relaxed);
    if (node) atomic_fetch_add_explicit(&node->value, 1, memory_order_relaxed); //~ BUG data-race
    return NULL;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(head);
    return 0;
}
