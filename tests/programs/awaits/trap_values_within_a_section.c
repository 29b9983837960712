// An atomic section writes x three times. What stands there in between lets nobody go on, so the waiter could have come before the section only where
// the value before all of it lets it. It leaves its loop at the first x = 1, and sees y = 1.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static atomic_int x, y;

static void *waits(void *arg)
{
    while (atomic_load(&x) != 1) {
    }
    assert(atomic_load(&y) != 1); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    atomic_store(&y, 1);
    atomic_store(&x, 1);
    atomic_store(&y, 2);
    atomic_store(&x, 2);
    __VERIFIER_atomic_begin();
    atomic_store(&x, 0);
    atomic_store(&x, 1);
    atomic_store(&x, 0);
    __VERIFIER_atomic_end();
    atomic_store(&y, 3);
    atomic_store(&x, 1);
    pthread_join(thread, NULL);
    return 0;
}
