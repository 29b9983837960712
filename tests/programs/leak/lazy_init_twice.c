// Both threads create the instance, the second store forgets the first instance.
//@ check --strategy exhaustive --leaks: bug leak
//@ check --strategy random --runs 300 --leaks: bug leak
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) instance;

static void *use(void *arg)
{
    if (atomic_load(&instance) == NULL) {
        int *made = malloc(sizeof *made); //~ BUG leak
        atomic_store(&instance, made);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    use(NULL);
    pthread_join(thread, NULL);
    free(atomic_load(&instance));
    return 0;
}
