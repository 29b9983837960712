// Acquire on one side only: the store is relaxed, so nothing is synchronised.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *send(void *arg)
{
    data = 42; //~ BUG data-race
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int seen = 42;
    pthread_create(&thread, NULL, send, NULL);
    if (atomic_load_explicit(&flag, memory_order_acquire))
        seen = data; //~ BUG data-race
    pthread_join(thread, NULL);
    return seen - 42;
}
