// The worker's result is on the heap and its joiner does not want it.
//@ check --strategy exhaustive --leaks: bug leak
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg)
{
    (void)arg;
    return calloc(1, 32); //~ BUG leak
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
