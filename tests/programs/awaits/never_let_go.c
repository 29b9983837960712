// Nobody sets the flag to what the waiter wants: it waits forever, and main with it.
//@ check: bug livelock message="loops forever"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *waits(void *arg)
{
    while (atomic_load(&flag) != 2) { //~ BUG livelock
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
