// One thread fails if it reads a positive number, the other writes an input if it read 0. The first reads before the second's write, or after
// it, and then goes one way or the other by the input.
//@ check --races ignore --strategy unfold: bug assertion executions=3
//@ check --races ignore --strategy contextual: bug assertion executions=3
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *reader(void *arg)
{
    int a = x;
    assert(!(a > 0)); //~ BUG assertion
    return arg;
}

static void *writer(void *arg)
{
    int b = x;
    if (b == 0)
        x = gordian_int("input");
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
