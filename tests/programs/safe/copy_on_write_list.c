// A copy-on-write list: the writer prepends by publishing a new head, the reader walks the version it loaded.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int value;
    const struct node *next;
};

static struct node third = {3, NULL}, second = {2, &third};
static _Atomic(const struct node *) list = &second;

static void *prepend(void *arg)
{
    static struct node first;
    first.value = 1;
    first.next = atomic_load(&list);
    atomic_store(&list, &first);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int sum = 0;
    pthread_create(&thread, NULL, prepend, NULL);
    for (const struct node *node = atomic_load(&list); node != NULL; node = node->next)
        sum += node->value;
    assert(sum == 5 || sum == 6);
    pthread_join(thread, NULL);
    return 0;
}
