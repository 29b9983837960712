// Two threads test a shared pointer and free it without a lock. Between test and free the other can do the same: a double free that no order of whole calls
// shows.
//@ check --races ignore: bug double-free
//@ check --races ignore --strategy classes: bug double-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) buffer;

static void *clean_up(void *arg)
{
    char *mine = atomic_load(&buffer);
    if (mine) {
        free(mine); //~ BUG double-free
        atomic_store(&buffer, NULL);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    atomic_store(&buffer, malloc(10));
    pthread_create(&thread, NULL, clean_up, NULL);
    clean_up(NULL);
    pthread_join(thread, NULL);
    return 0;
}
