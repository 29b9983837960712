// The flag says ready one step too early.
//@ check --strategy exhaustive: bug null-dereference
#include <pthread.h>
#include <stdatomic.h>

static int storage = 1;
static atomic_int ready;
static _Atomic(int *) pointer;

static void *initialise(void *arg)
{
    atomic_store(&ready, 1);
    atomic_store(&pointer, &storage);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int seen = 1;
    pthread_create(&thread, NULL, initialise, NULL);
    if (atomic_load(&ready))
        seen = *atomic_load(&pointer); //~ BUG null-dereference
    pthread_join(thread, NULL);
    return seen - 1;
}
