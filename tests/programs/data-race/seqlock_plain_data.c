// A sequence lock with plain data: the check afterwards discards torn values, but the read was a race already.
//@ check --strategy exhaustive: bug data-race
//@ check --strategy exhaustive --races ignore: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static int left, right;

static void *write_pair(void *arg)
{
    atomic_fetch_add(&sequence, 1);
    left = 7; //~ BUG data-race
    right = 7; //~ BUG data-race
    atomic_fetch_add(&sequence, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_pair, NULL);
    unsigned before = atomic_load(&sequence);
    int l = left; //~ BUG data-race
    int r = right; //~ BUG data-race
    unsigned after = atomic_load(&sequence);
    if (before == after && before % 2 == 0)
        assert(l == r);
    pthread_join(thread, NULL);
    return 0;
}
