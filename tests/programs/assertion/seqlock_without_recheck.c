// A sequence-lock reader that checks the number only before it reads.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy random --runs 500: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int left, right;

static void *write_pair(void *arg)
{
    atomic_fetch_add(&sequence, 1);
    atomic_store(&left, 7);
    atomic_store(&right, 7);
    atomic_fetch_add(&sequence, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_pair, NULL);
    if (atomic_load(&sequence) % 2 == 0) {
        int l = atomic_load(&left);
        int r = atomic_load(&right);
        assert(l == r); //~ BUG assertion
    }
    pthread_join(thread, NULL);
    return 0;
}
