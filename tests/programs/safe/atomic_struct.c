// An atomic structure of two ints is loaded, stored and exchanged as a whole: its halves always agree.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair {
    int low, high;
};

static _Atomic struct pair shared;

static void *write_pair(void *arg)
{
    struct pair pair = {1, 1};
    atomic_store(&shared, pair);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_pair, NULL);
    struct pair seen = atomic_load(&shared);
    assert(seen.low == seen.high);
    struct pair wanted = {2, 2};
    atomic_compare_exchange_strong(&shared, &seen, wanted);
    pthread_join(thread, NULL);
    seen = atomic_load(&shared);
    assert(seen.low == seen.high);
    return 0;
}
