// The resource is handed over by a signal, but a newcomer may barge in before the woken thread has the mutex again (C11 threads).
//@ check --strategy random --runs 2000: bug assertion
#include <assert.h>
#include <stdbool.h>
#include <threads.h>

static mtx_t lock;
static cnd_t released;
static bool taken = true;

static int acquire(void *arg)
{
    (void)arg;
    mtx_lock(&lock);
    if (taken)
        cnd_wait(&released, &lock);
    assert(!taken); //~ BUG assertion
    taken = true;
    mtx_unlock(&lock);

    mtx_lock(&lock);
    taken = false;
    cnd_signal(&released);
    mtx_unlock(&lock);
    return 0;
}

int main(void)
{
    thrd_t a, b;
    mtx_init(&lock, mtx_plain);
    cnd_init(&released);
    thrd_create(&a, acquire, NULL);
    thrd_create(&b, acquire, NULL);
    mtx_lock(&lock);
    taken = false;
    cnd_broadcast(&released);
    mtx_unlock(&lock);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    return 0;
}
