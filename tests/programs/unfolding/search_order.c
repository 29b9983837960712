// Both threads read x, which nobody writes, and then write y. The writes have two orders, whichever thread goes first.
//@ check --races ignore: safe executions=2
//@ check --races ignore --strategy unfold: safe executions=2
//@ check --races ignore --strategy contextual: safe executions=2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *one(void *arg)
{
    int a = x;
    (void)a;
    y = 1;
    return arg;
}

static void *two(void *arg)
{
    int b = x;
    (void)b;
    y = 2;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
