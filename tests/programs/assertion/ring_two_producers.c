// A ring buffer for one producer is given two: both write the same slot, one item is lost.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int slots[4];
static atomic_uint tail;

static void *produce(void *arg)
{
    unsigned mine = atomic_load(&tail);
    atomic_store(&slots[mine % 4], (int)(intptr_t)arg);
    atomic_store(&tail, mine + 1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, produce, (void *)1);
    produce((void *)2);
    pthread_join(thread, NULL);
    assert(atomic_load(&slots[0]) + atomic_load(&slots[1]) == 3); //~ BUG assertion
    return 0;
}
