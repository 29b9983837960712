// Atomic on one side, plain on the other: the plain read still races.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>

static int hits;

static void *count(void *arg)
{
    __atomic_fetch_add(&hits, 1, __ATOMIC_SEQ_CST); //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    int seen = hits; //~ BUG data-race
    pthread_join(thread, NULL);
    return seen > 1;
}
