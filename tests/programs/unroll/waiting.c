// A loop that only waits is blocked until what it read changes, and its rounds are no iterations: main changes the flag five times before it
// is what the worker waits for. The loop may yield, call a function to look, or look at two variables in a loop of its own.
//@ check --unroll 1: safe
//@ check --unroll 1 --strategy exhaustive: safe
//@ check --unroll 1 --cflag=-DYIELD: safe
//@ check --unroll 1 --cflag=-DCALL: safe
//@ check --unroll 1 --cflag=-DCALL --cflag=-DYIELD: safe
//@ check --unroll 1 --cflag=-DTRY: safe
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is_set(void)
{
#ifdef YIELD
    sched_yield();
#endif
    return atomic_load(&flag) == 5;
}

static void *wait_for_it(void *arg)
{
#if defined CALL
    while (!is_set()) {
    }
#elif defined TRY
    while (pthread_mutex_trylock(&lock)) {
    }
    pthread_mutex_unlock(&lock);
#elif defined YIELD
    while (atomic_load(&flag) != 5)
        sched_yield();
#else
    while (atomic_load(&flag) != 5) {
    }
#endif
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, wait_for_it, NULL);
    atomic_store(&flag, 1);
    atomic_store(&flag, 2);
    atomic_store(&flag, 3);
    atomic_store(&flag, 4);
    atomic_store(&flag, 5);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
