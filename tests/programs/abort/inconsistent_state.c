// The program checks its own invariant and aborts when the other thread is between its two updates.
//@ check --strategy exhaustive: bug abort
//@ check --strategy random --runs 300: bug abort
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int items, bytes;

static void *add_item(void *arg)
{
    atomic_fetch_add(&items, 1);
    atomic_fetch_add(&bytes, 16);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add_item, NULL);
    int n_items = atomic_load(&items);
    int n_bytes = atomic_load(&bytes);
    if (n_items * 16 > n_bytes)
        abort(); //~ BUG abort
    pthread_join(thread, NULL);
    return 0;
}
