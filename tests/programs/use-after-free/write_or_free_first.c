// The access that fails is an operation like any other: it is also tried before the free, where something else is wrong.
//@ check --races ignore: bug use-after-free,assertion
//@ check --strategy exhaustive --races ignore: bug use-after-free,assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *object;

static void *writer(void *arg)
{
    *object = 1;            //~ BUG use-after-free
    assert(arg != NULL);    //~ BUG assertion
    return NULL;
}

int main(void)
{
    pthread_t thread;
    object = malloc(sizeof *object);
    pthread_create(&thread, NULL, writer, NULL);
    free(object);
    pthread_join(thread, NULL);
    return 0;
}
