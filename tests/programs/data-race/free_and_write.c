// Nothing orders the free after the write: the schedule that shows no use after free shows the race.
//@ check: bug data-race,use-after-free
//@ check --strategy exhaustive: bug data-race,use-after-free
#include <pthread.h>
#include <stdlib.h>

static int *object;

static void *writer(void *arg)
{
    *object = 1; //~ BUG data-race
    return arg;
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
