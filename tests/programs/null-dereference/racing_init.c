// The reader does not wait until the pointer is set.
//@ check --strategy exhaustive: bug null-dereference
//@ check --strategy random --runs 100: bug null-dereference
#include <pthread.h>
#include <stdatomic.h>

static int storage = 1;
static _Atomic(int *) pointer;

static void *initialise(void *arg)
{
    atomic_store(&pointer, &storage);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, initialise, NULL);
    int seen = *atomic_load(&pointer); //~ BUG null-dereference
    pthread_join(thread, NULL);
    return seen - 1;
}
