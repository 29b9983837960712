// A stack whose head has a counter beside the pointer, so that a node that was popped and pushed again is noticed. Head and counter are exchanged as
// one atomic object of 16 bytes, which needs no flag for the compiler.
// Both threads push once. One of them exchanges first; the other either read the head after that (no failed exchange) or before it (one failed exchange). So there are
// four executions.
//@ check: safe executions=4
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_16
#error "the program sees a flag that nobody gave"
#endif

struct node {
    struct node *next;
};

struct head {
    struct node *first;
    size_t count;
};

static _Atomic struct head head;
static struct node nodes[2];

static void *push(void *argument) {
    struct node *node = argument;
    struct head old = atomic_load(&head), new;
    do {
        node->next = old.first;
        new.first = node;
        new.count = old.count + 1;
    } while (!atomic_compare_exchange_strong(&head, &old, new));
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, push, &nodes[0]);
    pthread_create(&second, NULL, push, &nodes[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    struct head end = atomic_load(&head);
    assert(end.count == 2 && end.first->next->next == NULL);
    return 0;
}
