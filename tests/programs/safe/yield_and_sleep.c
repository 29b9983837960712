// Yielding and sleeping change no meaning: time is virtual, any schedule remains possible, none of them breaks the program.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int steps;

static void *doze(void *arg)
{
    struct timespec nap = {0, 1000000};
    (void)arg;
    sched_yield();
    atomic_fetch_add(&steps, 1);
    nanosleep(&nap, NULL);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, doze, NULL);
    usleep(100);
    atomic_fetch_add(&steps, 1);
    assert(sleep(1) == 0);
    pthread_join(thread, NULL);
    assert(atomic_load(&steps) == 2);
    return 0;
}
