// Main waits for what nobody writes. With `--facts on` the load is no step, so the wait is not seen to be one: the search meets the livelock in another shape than its test
// shows. It is made again without facts, and says so.
//@ check --facts off: bug livelock
//@ check --facts on: bug livelock message="without static facts"
#include <pthread.h>
#include <sched.h>

static int x, y;

static void *writes(void *unused) {
    y = 1;
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writes, NULL);
    while (!x)
        sched_yield();
    pthread_join(t, NULL);
    return 0;
}
