// Not every outcome is exclusive: both threads may see the other's flag. Whoever asserts that one comes first is wrong.
//@ check --strategy exhaustive: bug assertion
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
    assert(saw_x != saw_y); //~ BUG assertion
    return 0;
}
