// A round of two looks is not atomic: main can see x = 1 before x = 0, and y = 1 after it. It leaves its loop then, and waits forever otherwise.
//@ check: bug assertion,livelock
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *writes(void *arg)
{
    atomic_store(&x, 1);
    atomic_store(&x, 0);
    atomic_store(&y, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writes, NULL);
    while (!(atomic_load(&x) == 1 && atomic_load(&y) == 1)) {
    }
    assert(0); //~ BUG assertion
}
