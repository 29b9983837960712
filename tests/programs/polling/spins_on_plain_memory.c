// A flag that is not atomic: waiting for it works, and is a data race.
//@ check: bug data-race
//@ check --races ignore: safe executions=1 blocked=0
#include <pthread.h>

static int flag;

static void *sets(void *arg)
{
    flag = 1; //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sets, NULL);
    while (!flag) {
    }
    pthread_join(thread, NULL);
    return 0;
}
