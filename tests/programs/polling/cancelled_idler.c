// A thread that only looks whether it was cancelled, and lets others go on.
//@ check: safe
#include <pthread.h>
#include <sched.h>

static void *idles(void *arg)
{
    for (;;) {
        pthread_testcancel();
        sched_yield();
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, idles, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    return 0;
}
