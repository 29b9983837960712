// The worker was to set the flag and did not; it is joined, and main waits alone from then on. In the other order, the flag is tested before the
// join and the worker is still there, the same loop is seen to wait on the flag.
//@ check: bug livelock
//@ check --strategy exhaustive: bug livelock
//@ check --cflag=-DJOIN_LATER: bug livelock
//@ check --cflag=-DSLEEP: bug livelock
//@ check --cflag=-DJOIN_LATER --cflag=-DSLEEP: bug livelock
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int done, errors;

static void *work(void *arg)
{
    if (arg)
        atomic_store(&done, 1);
    else
        atomic_store(&errors, 1);
    return arg;
}

static void rest(void)
{
#ifdef SLEEP
    usleep(100);
#endif
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
#ifndef JOIN_LATER
    pthread_join(worker, NULL);
#endif
    while (!atomic_load(&done)) //~ BUG livelock
        rest();
#ifdef JOIN_LATER
    pthread_join(worker, NULL);
#endif
    return 0;
}
