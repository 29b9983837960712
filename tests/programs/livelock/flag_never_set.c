// The worker spins on a flag that nobody sets: it runs for ever and changes nothing, while main waits for its end.
//@ check --strategy random --runs 10 --max-steps 5000: bug livelock
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready, started;

static void *spin(void *arg)
{
    while (!atomic_load(&ready)) { //~ BUG livelock
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, spin, NULL);
    atomic_store(&started, 1);
    pthread_join(thread, NULL);
    return 0;
}
