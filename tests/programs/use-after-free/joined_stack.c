// A thread returns the address of its own local variable; its stack is gone when it has ended.
//@ check --strategy exhaustive: bug use-after-free
#include <pthread.h>

static void *pass_on(void *p)
{
    return p;
}

static void *work(void *arg)
{
    int local = arg == NULL;
    return pass_on(&local);
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, &result);
    return *(int *)result; //~ BUG use-after-free
}
