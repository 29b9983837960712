// A bounded queue for many producers and consumers (Vyukov): each slot has a sequence number that tells whose turn it is. Places are drawn by
// fetch-and-add: the two writers draw theirs in one of two orders, and the reader waits for the slot of the first. The fields of a slot share a
// word of memory, and only one of them is awaited.
//@ check: safe executions=2 blocked=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef R
#define R 1
#endif
#ifndef W
#define W 2
#endif
#define SIZE 4

static struct {
    atomic_uint turn;
    int value;
} slots[SIZE];
static atomic_uint head, tail;

static void *writer(void *arg)
{
    unsigned at = atomic_fetch_add(&tail, 1);
    while (atomic_load(&slots[at % SIZE].turn) != at / SIZE * 2) {
    }
    slots[at % SIZE].value = 42;
    atomic_store(&slots[at % SIZE].turn, at / SIZE * 2 + 1);
    return arg;
}

static void *reader(void *arg)
{
    unsigned at = atomic_fetch_add(&head, 1);
    while (atomic_load(&slots[at % SIZE].turn) != at / SIZE * 2 + 1) {
    }
    assert(slots[at % SIZE].value == 42);
    atomic_store(&slots[at % SIZE].turn, (at / SIZE + 1) * 2);
    return arg;
}

int main(void)
{
    pthread_t readers[R], writers[W];
    for (int n = 0; n < R; n++)
        pthread_create(&readers[n], NULL, reader, NULL);
    for (int n = 0; n < W; n++)
        pthread_create(&writers[n], NULL, writer, NULL);
    for (int n = 0; n < R; n++)
        pthread_join(readers[n], NULL);
    for (int n = 0; n < W; n++)
        pthread_join(writers[n], NULL);
    return 0;
}
