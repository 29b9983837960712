// Two threads look at the clock, which goes on with every look: who looks first sees the earlier time.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <time.h>

static void *work(void *arg)
{
    struct timespec now;
    (void)arg;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (void *)now.tv_nsec;
}

int main(void)
{
    pthread_t threads[2];
    void *times[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &times[i]);
    assert(times[0] < times[1]); //~ BUG assertion
    return 0;
}
