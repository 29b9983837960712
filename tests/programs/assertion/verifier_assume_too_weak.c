// The assumption drops the schedules in which the flag is down, but the flag goes up before the data are ready.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_assume(int condition);

static atomic_int flag, data;

static void *produce(void *arg)
{
    atomic_store(&flag, 1);
    atomic_store(&data, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, produce, NULL);
    __VERIFIER_assume(atomic_load(&flag) == 1);
    assert(atomic_load(&data) == 1); //~ BUG assertion
    pthread_join(thread, NULL);
    return 0;
}
