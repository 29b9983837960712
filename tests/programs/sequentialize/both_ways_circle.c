// Each thread writes what it has read, and nothing comes from nothing: that both take the other's write is no order of the events. A guess alone would
// say that both read 1.
//@ check --strategy sequentialize --max-interferences 2,2: bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *copies_to_y(void *arg)
{
    int value = x;
    y = value;
    assert(value == 0);
    return arg;
}

static void *copies_to_x(void *arg)
{
    int value = y;
    x = value;
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, copies_to_y, NULL);
    pthread_create(&second, NULL, copies_to_x, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
