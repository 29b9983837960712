// Two readers at once change the value they read: the read lock does not exclude them.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int hits;

static void *count(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    int seen = atomic_load(&hits);
    atomic_store(&hits, seen + 1);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    count(NULL);
    pthread_join(thread, NULL);
    assert(atomic_load(&hits) == 2); //~ BUG assertion
    return 0;
}
