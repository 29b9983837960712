// The handler is removed between the check and the call.
//@ check --strategy exhaustive: bug null-dereference
//@ check --strategy sequentialize --max-interferences 0: bounded
//@ check --strategy sequentialize --max-interferences 1: bug null-dereference
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

typedef void handler(void);

static void do_nothing(void)
{
}

static _Atomic(handler *) installed = do_nothing;

static void *remove_handler(void *arg)
{
    atomic_store(&installed, NULL);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, remove_handler, NULL);
    if (atomic_load(&installed) != NULL)
        atomic_load(&installed)(); //~ BUG null-dereference
    pthread_join(thread, NULL);
    return 0;
}
