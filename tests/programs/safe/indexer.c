// The indexer: threads insert into one hash table by compare-and-swap, probing on when a slot is taken. Nothing is lost.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 4 };

static atomic_int table[SIZE];

static void insert(int value, int hash)
{
    for (;; hash = (hash + 1) % SIZE) {
        int empty = 0;
        if (atomic_compare_exchange_strong(&table[hash], &empty, value))
            return;
    }
}

static void *work(void *arg)
{
    insert(10, 1);
    insert(11, 2);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int sum = 0;
    pthread_create(&thread, NULL, work, NULL);
    insert(20, 1);
    insert(21, 1);
    pthread_join(thread, NULL);
    for (int i = 0; i < SIZE; i++)
        sum += atomic_load(&table[i]);
    assert(sum == 62);
    return 0;
}
