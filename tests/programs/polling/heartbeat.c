// A thread counts until it is told to stop. It may do so any number of times: the search is bounded in that.
//@ check: bounded
//@ check --cflag=-DDETACHED: bounded
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int beats, stop;

static void *beat(void *arg)
{
    while (!atomic_load(&stop)) {
        atomic_fetch_add(&beats, 1);
        usleep(10);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, beat, NULL);
#ifdef DETACHED
    // Nobody stops it: it ends with the process.
    pthread_detach(thread);
#else
    atomic_store(&stop, 1);
    pthread_join(thread, NULL);
#endif
    return 0;
}
