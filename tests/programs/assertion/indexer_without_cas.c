// Insertion into a hash table that looks whether a slot is free and then fills it: two threads fill the same slot.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { SIZE = 4 };

static atomic_int table[SIZE];

static void *insert(void *arg)
{
    int value = (int)(intptr_t)arg;
    int slot = value % SIZE;
    while (atomic_load(&table[slot]) != 0)
        slot = (slot + 1) % SIZE;
    atomic_store(&table[slot], value);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int found = 0;
    pthread_create(&thread, NULL, insert, (void *)5);
    insert((void *)9);
    pthread_join(thread, NULL);
    for (int i = 0; i < SIZE; i++)
        found += atomic_load(&table[i]) != 0;
    assert(found == 2); //~ BUG assertion
    return 0;
}
