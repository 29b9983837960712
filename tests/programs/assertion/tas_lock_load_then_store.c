// A lock that is tested and set in two steps is no lock.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int held, inside;

static void *work(void *arg)
{
    if (atomic_load(&held) == 0) {
        atomic_store(&held, 1);
        assert(atomic_fetch_add(&inside, 1) == 0); //~ BUG assertion
        atomic_fetch_sub(&inside, 1);
        atomic_store(&held, 0);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    return 0;
}
