// Both producers see room for one more and both add: the second write goes past the end.
//@ check --strategy exhaustive: bug out-of-bounds
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SIZE = 2 };

static atomic_int *slots;
static atomic_int count = 1;

static void *add(void *arg)
{
    if (atomic_load(&count) < SIZE)
        atomic_store(&slots[atomic_fetch_add(&count, 1)], 1); //~ BUG out-of-bounds
    return arg;
}

int main(void)
{
    pthread_t thread;
    slots = calloc(SIZE, sizeof *slots);
    if (slots == NULL)
        return 1;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    free(slots);
    return 0;
}
