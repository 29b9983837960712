// The smaller instance of herlihy_wing_queue.c, small enough for brute force.
//@ check --races ignore: safe executions=334 blocked=996
//@ check --races ignore --strategy dpor-classic: safe executions=334
//@ check --races ignore --strategy classes: safe executions=410268
#define SMALL
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_assume(int condition);

static atomic_int slots[16], back;

static void enqueue(int value)
{
    int k = atomic_fetch_add(&back, 1);
    atomic_store(&slots[k], value);
}

static int dequeue(void)
{
    for (int k = 0;; k++) {
        __VERIFIER_assume(k < atomic_load(&back));
        int value = atomic_exchange(&slots[k], 0);
        if (value)
            return value;
    }
}

static void *takes_two(void *arg)
{
    dequeue();
    dequeue();
    return arg;
}

static void *takes_and_gives(void *arg)
{
    dequeue();
    enqueue(1);
    return arg;
}

static void *gives(void *arg)
{
    enqueue(2);
    return arg;
}

static void *gives_two(void *arg)
{
    enqueue(3);
#ifndef SMALL
    enqueue(4);
#endif
    return arg;
}

int main(void)
{
    pthread_t threads[4];
    pthread_create(&threads[0], 0, takes_two, 0);
    pthread_create(&threads[1], 0, takes_and_gives, 0);
    pthread_create(&threads[2], 0, gives, 0);
    pthread_create(&threads[3], 0, gives_two, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
