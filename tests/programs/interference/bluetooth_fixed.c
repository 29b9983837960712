// The Bluetooth driver of bluetooth.c with its usual repair: a request counts itself in first and looks at the flag then. If nobody stops the
// device by then, whoever does so later waits until the request has counted itself out.
// Two threads, no inputs, no bug.
//@ check: safe executions=7 blocked=0
//@ check --strategy interference: bounded executions=9
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int pending_io = 1;
static atomic_bool stopping_flag, stopping_event, stopped;

static void io_decrement(void)
{
    if (atomic_fetch_sub(&pending_io, 1) == 1)
        atomic_store(&stopping_event, true);
}

static int io_increment(void)
{
    atomic_fetch_add(&pending_io, 1);
    if (atomic_load(&stopping_flag)) {
        io_decrement();
        return -1;
    }
    return 0;
}

static void *add(void *arg)
{
    int status = io_increment();
    if (status == 0) {
        assert(!atomic_load(&stopped));
        io_decrement();
    }
    return arg;
}

static void *stop(void *arg)
{
    atomic_store(&stopping_flag, true);
    io_decrement();
    while (!atomic_load(&stopping_event))
        ;
    atomic_store(&stopped, true);
    return arg;
}

int main(void)
{
    pthread_t adder, stopper;
    pthread_create(&adder, NULL, add, NULL);
    pthread_create(&stopper, NULL, stop, NULL);
    pthread_join(adder, NULL);
    pthread_join(stopper, NULL);
    return 0;
}
