// The second join of the same thread is undefined: its identity is no longer valid.
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
    pthread_join(thread, NULL);
    pthread_join(thread, NULL); //~ BUG lock-misuse
    return 0;
}
