// Two readers hold a read-write lock at the same time. A tool that takes it for a mutex proves that they never meet.
//@ check: bug assertion
//@ check --strategy exhaustive: bug assertion
//@ check --cflag=-DWRITE: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int inside;

static void *read_it(void *arg)
{
#ifdef WRITE
    pthread_rwlock_wrlock(&lock);
#else
    pthread_rwlock_rdlock(&lock);
#endif
    assert(atomic_fetch_add(&inside, 1) == 0); //~ BUG assertion
    atomic_fetch_sub(&inside, 1);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, read_it, NULL);
    read_it(NULL);
    pthread_join(thread, NULL);
    return 0;
}
