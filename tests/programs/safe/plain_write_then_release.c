// The plain write comes before the atomic one of the same thread, and whoever reads what that one released comes after both. No data race, though one of the
// accesses is atomic and the other is not.
//@ check: safe
//@ check --strategy exhaustive: safe
#include <pthread.h>
#include <stdatomic.h>

static union {
    char bytes[4];
    _Atomic int whole;
} both;
static atomic_int written;

static void *read_when_written(void *arg)
{
    if (atomic_load_explicit(&written, memory_order_relaxed))
        return (void *)(long)both.whole;
    return arg;
}

static void *write_twice(void *arg)
{
    both.bytes[3] = 5;
    atomic_fetch_add(&both.whole, 257);
    atomic_store_explicit(&written, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, read_when_written, NULL);
    pthread_create(&b, NULL, write_twice, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
