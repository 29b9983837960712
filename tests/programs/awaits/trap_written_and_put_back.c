// A poller raises x, looks at y, and lowers x again. Main sees x raised, then lowered: that takes a round that failed.
//@ check: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *polls(void *arg)
{
    for (;;) {
        atomic_store(&x, 1);
        if (atomic_load(&y))
            break;
        atomic_store(&x, 0);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, polls, NULL);
    int first = atomic_load(&x), second = atomic_load(&x);
    assert(!(first == 1 && second == 0)); //~ BUG assertion
    atomic_store(&y, 1);
    pthread_join(thread, NULL);
    return 0;
}
