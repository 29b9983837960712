// A try-lock that fails does not wait, so whether it fails is up to the schedule. A tool that treats it as a lock that waits, or that never preempts a
// holder, never takes the failing branch. Traces: try-lock before the lock, while main holds it (the assertion fails), behind the unlock.
//@ check: bug assertion executions=3 blocked=0
//@ check --strategy classes: bug assertion
//@ check --cflag=-DC11: bug assertion executions=3 blocked=0
//@ check --cflag=-DSPIN: bug assertion executions=3 blocked=0
#include <assert.h>
#include <pthread.h>
#include <threads.h>

#if defined C11
static mtx_t lock;
#define INIT() mtx_init(&lock, mtx_plain)
#define LOCK() mtx_lock(&lock)
#define TRY() (mtx_trylock(&lock) == thrd_success)
#define UNLOCK() mtx_unlock(&lock)
#elif defined SPIN
static pthread_spinlock_t lock;
#define INIT() pthread_spin_init(&lock, 0)
#define LOCK() pthread_spin_lock(&lock)
#define TRY() (pthread_spin_trylock(&lock) == 0)
#define UNLOCK() pthread_spin_unlock(&lock)
#else
static pthread_mutex_t lock;
#define INIT() pthread_mutex_init(&lock, NULL)
#define LOCK() pthread_mutex_lock(&lock)
#define TRY() (pthread_mutex_trylock(&lock) == 0)
#define UNLOCK() pthread_mutex_unlock(&lock)
#endif

static void *visit(void *arg)
{
    int locked = TRY();
    assert(locked); //~ BUG assertion
    UNLOCK();
    return arg;
}

int main(void)
{
    pthread_t visitor;
    INIT();
    pthread_create(&visitor, NULL, visit, NULL);
    LOCK();
    UNLOCK();
    pthread_join(visitor, NULL);
    return 0;
}
