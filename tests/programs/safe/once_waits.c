// Whoever comes to `pthread_once` while the routine runs waits for its end: no thread sees the half-made table, although the routine gives up the
// processor in its middle. A tool that only runs the routine once, without waiting, finds a failure here that does not exist.
// Traces: who of the three comes first; when the others come makes no difference.
//@ check: safe executions=3 blocked=0
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int half, whole;

static void initialise(void)
{
    atomic_store(&half, 1);
    sched_yield();
    atomic_store(&whole, 1);
}

static void *use(void *arg)
{
    pthread_once(&once, initialise);
    assert(atomic_load(&half) && atomic_load(&whole));
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, use, NULL);
    use(NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
