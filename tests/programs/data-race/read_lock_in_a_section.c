// Who gives up a read lock tells no other reader what it did, also not one that takes the lock in an atomic section; the relaxed flag tells nothing
// either. So the two writes race.
//@ check: bug data-race
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int written;
static int value;

static void *write_while_reading(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    value = 1;
    atomic_store_explicit(&written, 1, memory_order_relaxed);
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *write_after_reading(void *arg)
{
    __VERIFIER_atomic_begin();
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    __VERIFIER_atomic_end();
    if (atomic_load_explicit(&written, memory_order_relaxed))
        value = 2;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, write_while_reading, NULL);
    pthread_create(&b, NULL, write_after_reading, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
