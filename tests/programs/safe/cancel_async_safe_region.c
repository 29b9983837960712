// Asynchronous cancellation is allowed only around a pure computation, as POSIX demands: the shared counter is changed
// under deferred cancellation, so it is 0 or 1 and never half done.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int published;

static void *compute(void *arg)
{
    int old, sum = 0;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    assert(old == PTHREAD_CANCEL_DEFERRED);
    for (int i = 0; i < 4; i++)
        sum += i;
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old);
    if (sum == 6)
        atomic_fetch_add(&published, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, compute, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    if (result == PTHREAD_CANCELED)
        assert(atomic_load(&published) == 0);
    else
        assert(atomic_load(&published) == 1);
    return 0;
}
