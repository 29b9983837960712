// A ring buffer for one producer and one consumer: each index is written by one side only, with release,
// and read by the other with acquire. What comes out is what went in, in order.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 2 };

static int slots[SIZE];
static atomic_uint head, tail;

static void *produce(void *arg)
{
    unsigned mine = 0;
    for (int i = 1; i <= 2; i++) {
        if (mine - atomic_load_explicit(&head, memory_order_acquire) == SIZE)
            break;
        slots[mine % SIZE] = i;
        atomic_store_explicit(&tail, ++mine, memory_order_release);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    unsigned mine = 0;
    pthread_create(&thread, NULL, produce, NULL);
    for (int attempt = 0; attempt < 2; attempt++) {
        if (atomic_load_explicit(&tail, memory_order_acquire) == mine)
            continue;
        assert(slots[mine % SIZE] == (int)mine + 1);
        atomic_store_explicit(&head, ++mine, memory_order_release);
    }
    pthread_join(thread, NULL);
    return 0;
}
