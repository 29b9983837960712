// A work-stealing deque of fixed size with sequentially consistent indices: the owner takes at the bottom, the thief at the top,
// and they fight for the last task by compare-and-swap. Each task is done exactly once.
//@ check --strategy exhaustive: safe
//@ check --strategy pct --runs 200: bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int top, bottom;
static int tasks[2];

static int take(void)
{
    int b = atomic_load(&bottom) - 1;
    atomic_store(&bottom, b);
    int t = atomic_load(&top);
    if (t < b)
        return tasks[b];
    int task = 0;
    if (t == b && atomic_compare_exchange_strong(&top, &t, t + 1))
        task = tasks[b];
    atomic_store(&bottom, b + 1);
    return task;
}

static int steal(void)
{
    int t = atomic_load(&top);
    int b = atomic_load(&bottom);
    if (t >= b)
        return 0;
    int task = tasks[t];
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? task : 0;
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
    tasks[0] = 1;
    tasks[1] = 10;
    atomic_init(&bottom, 2);
    pthread_create(&thread, NULL, thief, NULL);
    int sum = take();
    sum += take();
    pthread_join(thread, &stolen);
    assert(sum + (int)(intptr_t)stolen == 11);
    return 0;
}
