// A thread that does nothing but sleep is cancelled.
//@ check: bounded
#include <pthread.h>
#include <unistd.h>

static void *sleeps(void *arg)
{
    for (;;)
        sleep(1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sleeps, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    return 0;
}
