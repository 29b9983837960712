// One atomic writer, two readers: each reader sees the old or the new value, nothing else.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *reader(void *arg)
{
    int seen = atomic_load(&x);
    assert(seen == 0 || seen == 42);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, reader, NULL);
    atomic_store(&x, 42);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
