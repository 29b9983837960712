// A release store read by an acquire load orders the plain data before it: if the flag is seen, so is the value.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *send(void *arg)
{
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, send, NULL);
    if (atomic_load_explicit(&flag, memory_order_acquire))
        assert(data == 42);
    pthread_join(thread, NULL);
    return 0;
}
