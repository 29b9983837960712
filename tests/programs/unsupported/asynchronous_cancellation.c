// Asynchronous cancellation could strike between any two instructions: gordian says that it cannot run it.
//@ check --strategy exhaustive: inconclusive
#include <pthread.h>

static void *compute(void *arg)
{
    int old;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, compute, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    return 0;
}
