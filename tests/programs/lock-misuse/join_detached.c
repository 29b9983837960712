// A detached thread cannot be joined.
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>

static void *work(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    pthread_join(thread, NULL); //~ BUG lock-misuse
    return 0;
}
