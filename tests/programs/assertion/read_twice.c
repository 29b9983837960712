// The value is checked in one read and used in another.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int limit = 10;

static void *lower(void *arg)
{
    atomic_store(&limit, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int wanted = 5;
    pthread_create(&thread, NULL, lower, NULL);
    if (wanted < atomic_load(&limit))
        assert(wanted < atomic_load(&limit)); //~ BUG assertion
    pthread_join(thread, NULL);
    return 0;
}
