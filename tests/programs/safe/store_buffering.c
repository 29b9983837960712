// Store buffering under sequential consistency: of two threads that each set their flag and then read the other's,
// at least one sees the other. The outcomes are (0,1), (1,0) and (1,1).
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int saw_x, saw_y;

static void *other(void *arg)
{
    atomic_store(&y, 1);
    saw_x = atomic_load(&x);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    atomic_store(&x, 1);
    saw_y = atomic_load(&y);
    pthread_join(thread, NULL);
    assert(saw_x || saw_y);
    return 0;
}
