// A worker is cancelled between allocation and free, without a clean-up handler; otherwise it frees properly.
//@ check --strategy exhaustive --leaks: bug leak
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg)
{
    char *buffer = malloc(8); //~ BUG leak
    pthread_testcancel();
    free(buffer);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    return 0;
}
