// Main frees what the other thread still waits at.
//@ check: bug data-race,use-after-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static void *waits(void *arg)
{
    atomic_int *flag = arg;
    while (!atomic_load(flag)) { //~ BUG use-after-free
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    atomic_int *flag = calloc(1, sizeof *flag);
    pthread_create(&thread, NULL, waits, flag);
    atomic_store(flag, 1);
    free(flag);
    pthread_join(thread, NULL);
    return 0;
}
