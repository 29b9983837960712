// Two weak exchanges of one variable, each of which can fail for no reason. If main's succeeds first, the other one fails, for that reason or for none (2),
// and the other way round (2). Otherwise main's fails and the other one succeeds after it (1), or the other way round (1), or both fail, in
// whatever order (1). One that is planned in all its variants must not be taken for one that is planned in a single one.
//@ check --weak-cas-fails: safe executions=7 blocked=0
//@ check --weak-cas-fails --jobs 2: safe executions=7 blocked=0
//@ check --weak-cas-fails --strategy dpor-classic: safe
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken;
static pthread_t second;

static void *takes(void *arg)
{
    int free = 0;
    atomic_compare_exchange_weak(&taken, &free, 2);
    return arg;
}

static void *does_nothing(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t first;
    pthread_create(&first, NULL, takes, NULL);
    int free = 0;
    atomic_compare_exchange_weak(&taken, &free, 2);
    pthread_create(&second, NULL, does_nothing, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
