// The setter writes a, then b; the checker reads them in the same order and expects both or none.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy random --runs 300: bug assertion
//@ check --strategy pct --runs 300: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b;

static void *set(void *arg)
{
    atomic_store(&a, 1);
    atomic_store(&b, -1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    int seen_a = atomic_load(&a);
    int seen_b = atomic_load(&b);
    assert((seen_a == 0 && seen_b == 0) || (seen_a == 1 && seen_b == -1)); //~ BUG assertion
    pthread_join(thread, NULL);
    return 0;
}
