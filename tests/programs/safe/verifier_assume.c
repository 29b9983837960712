// An execution whose assumption is false is dropped: what remains are the schedules in which the writer was first,
// and in those the assertion holds.
//@ check --strategy exhaustive: safe
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_assume(int condition);
extern void reach_error(void);

static atomic_int flag, data;

static void *produce(void *arg)
{
    atomic_store(&data, 1);
    atomic_store(&flag, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, produce, NULL);
    __VERIFIER_assume(atomic_load(&flag) == 1);
    if (atomic_load(&data) != 1)
        reach_error();
    pthread_join(thread, NULL);
    return 0;
}
