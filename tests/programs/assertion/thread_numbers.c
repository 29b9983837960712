// Who holds a lock is told by `gettid`, which differs between threads: the second to come is refused.
//@ check: bug assertion
//@ check --strategy exhaustive: bug assertion
//@ check -- own: safe
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <unistd.h>

static atomic_int owner;
static atomic_int refused;

static void *enter(void *argument) {
    prctl(PR_SET_NAME, "worker");
    int nobody = 0;
    if (!atomic_compare_exchange_strong(&owner, &nobody, gettid()) && nobody != gettid()) {
        refused++;
    }
    return argument;
}

int main(int count, char **arguments) {
    (void)arguments;
    cpu_set_t processors;
    assert(sched_getaffinity(0, sizeof processors, &processors) == 0 && CPU_COUNT(&processors) > 0);
    assert(gettid() == getpid());
    pthread_t first, second;
    pthread_create(&first, NULL, enter, NULL);
    if (count > 1) {
        pthread_join(first, NULL);
        return 0;
    }
    pthread_create(&second, NULL, enter, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(refused == 0); //~ BUG assertion
    return 0;
}
