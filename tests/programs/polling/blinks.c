// A thread that nobody waits for switches a light on and off, for ever. Main, which looks now and then, may see every change.
//@ check: bug assertion
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int light;

static void *blinks(void *arg)
{
    for (;;) {
        atomic_store(&light, 1);
        sched_yield();
        atomic_store(&light, 0);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    int changes = 0, before = 0;
    pthread_create(&thread, NULL, blinks, NULL);
    for (int i = 0; i < 4; i++) {
        int now = atomic_load(&light);
        changes += now != before;
        before = now;
    }
    assert(changes < 4); //~ BUG assertion
    return 0;
}
