// A thread-local variable is private until its address is handed on.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>

static _Thread_local int mine;

static void *write_through(void *arg)
{
    *(int *)arg = 1; //~ BUG data-race
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_through, &mine);
    int seen = mine; //~ BUG data-race
    pthread_join(thread, NULL);
    return seen > 1;
}
