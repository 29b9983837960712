// The owner takes the last task without fighting for it: owner and thief both run it.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int top, bottom = 1;

static int take(void)
{
    int b = atomic_load(&bottom) - 1;
    atomic_store(&bottom, b);
    return atomic_load(&top) <= b;
}

static int steal(void)
{
    int t = atomic_load(&top);
    if (t >= atomic_load(&bottom))
        return 0;
    return atomic_compare_exchange_strong(&top, &t, t + 1);
}

static void *thief(void *arg)
{
    (void)arg;
    return (void *)(intptr_t)steal();
}

int main(void)
{
    pthread_t thread;
    void *stolen;
    pthread_create(&thread, NULL, thief, NULL);
    int taken = take();
    pthread_join(thread, &stolen);
    assert(taken + (int)(intptr_t)stolen <= 1); //~ BUG assertion
    return 0;
}
