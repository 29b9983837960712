// A thread sets a flag and then does nothing but yield. Main looks at the flag and exits, so the loop is no livelock, and the failure shows.
//@ check: bug assertion
//@ check --cflag=-DJOINS: bug livelock
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;

static void *idles(void *arg)
{
    atomic_store(&flag, 1);
    for (;;)
        sched_yield();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, idles, NULL);
#ifdef JOINS
    pthread_join(thread, NULL);
#endif
    assert(atomic_load(&flag) == 0); //~ BUG assertion
    return 0;
}
