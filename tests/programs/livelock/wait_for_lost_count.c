// main yields until two arrivals are counted; the count loses one when the arrivals overlap, and main yields for ever.
//@ check --strategy random --runs 300 --max-steps 5000: bug livelock
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int arrived;

static void *arrive(void *arg)
{
    int seen = atomic_load(&arrived);
    atomic_store(&arrived, seen + 1);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, arrive, NULL);
    pthread_create(&b, NULL, arrive, NULL);
    while (atomic_load(&arrived) < 2) //~ BUG livelock
        sched_yield();
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
