// Of all threads at a barrier exactly one is told to be the serial thread. What was written before the barrier may be read
// after it without a race. A tool that always names the same one proves too much. Traces: either arrives last.
//@ check: safe executions=2 blocked=0
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static pthread_barrier_t barrier;
static int slot[2];

static intptr_t meet(int me)
{
    slot[me] = me + 1;
    int result = pthread_barrier_wait(&barrier);
    assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    assert(slot[1 - me] == 2 - me);
    return result == PTHREAD_BARRIER_SERIAL_THREAD;
}

static void *run(void *arg)
{
    (void)arg;
    return (void *)meet(1);
}

int main(void)
{
    pthread_t thread;
    void *other;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, run, NULL);
    intptr_t mine = meet(0);
    pthread_join(thread, &other);
    assert(mine + (intptr_t)other == 1);
    pthread_barrier_destroy(&barrier);
    return 0;
}
