// The worker sets its own copy of a thread-local variable; main's copy stays as it was, in every schedule.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>

static _Thread_local int result;

static void *work(void *arg)
{
    result = 42;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    assert(result == 42); //~ BUG assertion
    return 0;
}
