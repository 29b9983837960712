// thrd_exit, thrd_detach, thrd_current, thrd_equal, thrd_yield, thrd_sleep and thread_local.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>
#include <time.h>

static thread_local int depth;
static atomic_int background;

static void dive(void)
{
    if (++depth == 3)
        thrd_exit(depth);
    dive();
}

static int diver(void *arg)
{
    (void)arg;
    dive();
    return -1;
}

static int run_in_background(void *arg)
{
    (void)arg;
    atomic_store(&background, 1);
    return 0;
}

int main(void)
{
    thrd_t joined, detached;
    int result;
    struct timespec nap = {0, 1000};
    assert(thrd_create(&joined, diver, NULL) == thrd_success);
    assert(!thrd_equal(joined, thrd_current()));
    assert(thrd_join(joined, &result) == thrd_success && result == 3);
    assert(thrd_create(&detached, run_in_background, NULL) == thrd_success);
    assert(thrd_detach(detached) == thrd_success);
    thrd_yield();
    assert(thrd_sleep(&nap, NULL) == 0);
    assert(atomic_load(&background) <= 1);
    assert(depth == 0);
    return 0;
}
