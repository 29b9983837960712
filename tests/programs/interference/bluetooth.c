// The Bluetooth driver of KISS (Qadeer and Wu, 2004): one thread adds a request to the device while another stops it. The first looks at the flag
// and then counts itself in; the driver can be stopped in between, and the request works on a stopped device.
// Two threads, no inputs. Needs two interferences: the adding thread reads `pending_io` and `stopped` as the stopping one wrote them, as in the
// paper (Razavi, Farzan and Holzer, 2012).
//@ check: bug assertion executions=8 blocked=0
//@ check --strategy interference --max-interferences 1: bounded executions=7
//@ check --strategy interference --max-interferences 2: bug assertion executions=9
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int pending_io = 1;
static atomic_bool stopping_flag, stopping_event, stopped;

static int io_increment(void)
{
    if (atomic_load(&stopping_flag))
        return -1;
    atomic_fetch_add(&pending_io, 1);
    return 0;
}

static void io_decrement(void)
{
    if (atomic_fetch_sub(&pending_io, 1) == 1)
        atomic_store(&stopping_event, true);
}

static void *add(void *arg)
{
    int status = io_increment();
    if (status == 0)
        assert(!atomic_load(&stopped)); //~ BUG assertion
    io_decrement();
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
