// A poller that counts how often it looked is in another state each time: only the steps of an execution show that it has no end.
//@ check: bounded
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stop;

static void *polls(void *arg)
{
    long looks = 0;
    while (!atomic_load(&stop))
        looks++;
    return (void *)looks;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, polls, NULL);
    atomic_store(&stop, 1);
    pthread_join(thread, NULL);
    return 0;
}
