// atomic_flag as a lock that is only tried: whoever finds it clear may touch the plain counter.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_flag busy = ATOMIC_FLAG_INIT;
static int counter;

static void *try_increment(void *arg)
{
    (void)arg;
    if (atomic_flag_test_and_set(&busy))
        return NULL;
    counter++;
    atomic_flag_clear_explicit(&busy, memory_order_release);
    return (void *)1;
}

int main(void)
{
    pthread_t thread;
    void *other;
    pthread_create(&thread, NULL, try_increment, NULL);
    intptr_t mine = (intptr_t)try_increment(NULL);
    pthread_join(thread, &other);
    assert(counter == mine + (intptr_t)other && counter >= 1);
    return 0;
}
