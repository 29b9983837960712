// A relaxed flag is atomic but orders nothing: the plain data behind it race. (It never fails under sequential consistency.)
//@ check --strategy exhaustive: bug data-race
//@ check --strategy exhaustive --races ignore: safe
#include <assert.h>
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
    pthread_create(&thread, NULL, send, NULL);
    if (atomic_load_explicit(&flag, memory_order_relaxed))
        assert(data == 42); //~ BUG data-race
    pthread_join(thread, NULL);
    return 0;
}
