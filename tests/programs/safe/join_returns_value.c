// The value that a thread function returns, or that it gives to pthread_exit from deep inside, arrives at pthread_join.
// What the thread wrote before is ordered before the join, so the plain global is no race.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static int written;

static void *square(void *arg)
{
    intptr_t n = (intptr_t)arg;
    written = 7;
    return (void *)(n * n);
}

static void leave_with(intptr_t value)
{
    pthread_exit((void *)value);
}

static void *leave_early(void *arg)
{
    leave_with((intptr_t)arg + 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    void *result_a, *result_b;
    pthread_create(&a, NULL, square, (void *)12);
    pthread_create(&b, NULL, leave_early, (void *)41);
    assert(pthread_join(a, &result_a) == 0);
    assert(pthread_join(b, &result_b) == 0);
    assert((intptr_t)result_a == 144);
    assert((intptr_t)result_b == 42);
    assert(written == 7);
    return 0;
}
