// A lock-free pop frees its node at once; a slower pop that loaded the same top reads the next pointer of the freed node.
//@ check --strategy exhaustive --races ignore: bug use-after-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
};

static _Atomic(struct node *) top;

static void *pop_and_free(void *arg)
{
    struct node *old = atomic_load(&top);
    while (old != NULL) {
        struct node *next = old->next; //~ BUG use-after-free
        if (atomic_compare_exchange_strong(&top, &old, next)) {
            free(old);
            break;
        }
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    struct node *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    if (a == NULL || b == NULL)
        return 1;
    a->next = b;
    atomic_init(&top, a);
    pthread_create(&thread, NULL, pop_and_free, NULL);
    pop_and_free(NULL);
    pthread_join(thread, NULL);
    return 0;
}
