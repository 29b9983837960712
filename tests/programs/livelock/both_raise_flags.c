// Mutual exclusion by flags alone: if both raise theirs before either looks, both spin for ever.
//@ check --strategy random --runs 300 --max-steps 5000: bug livelock
//@ check --strategy pos --runs 300 --max-steps 5000: bug livelock
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2];

static void *work(void *arg)
{
    int me = (int)(intptr_t)arg;
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[1 - me])) { //~ BUG livelock
    }
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, (void *)1);
    work((void *)0);
    pthread_join(thread, NULL);
    return 0;
}
