// The count is decremented and then read again: both threads may read zero and both free.
//@ check --strategy exhaustive --races ignore: bug double-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int references = 2;

static void *let_go(void *arg)
{
    atomic_fetch_sub(&references, 1);
    if (atomic_load(&references) == 0)
        free(arg); //~ BUG double-free
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *object = malloc(16);
    pthread_create(&thread, NULL, let_go, object);
    let_go(object);
    pthread_join(thread, NULL);
    return 0;
}
