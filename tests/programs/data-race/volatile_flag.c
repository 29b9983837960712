// volatile is no synchronisation: the flag itself races, and so do the data that it should guard.
//@ check --strategy exhaustive: bug data-race
//@ check --strategy exhaustive --races ignore: safe
#include <assert.h>
#include <pthread.h>

static volatile int flag;
static int data;

static void *send(void *arg)
{
    data = 42; //~ BUG data-race
    flag = 1; //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, send, NULL);
    if (flag) //~ BUG data-race
        assert(data == 42); //~ BUG data-race
    pthread_join(thread, NULL);
    return 0;
}
