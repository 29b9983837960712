// Independent reads of independent writes: two readers never disagree about the order of two writes.
//@ check --strategy random --runs 500: bounded
//@ check --strategy exhaustive --preemptions 1: bounded
//@ check --preemptions 1: bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int r1, r2, r3, r4;

static void *write_x(void *arg)
{
    atomic_store(&x, 1);
    return arg;
}

static void *write_y(void *arg)
{
    atomic_store(&y, 1);
    return arg;
}

static void *read_xy(void *arg)
{
    r1 = atomic_load(&x);
    r2 = atomic_load(&y);
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, write_x, NULL);
    pthread_create(&b, NULL, write_y, NULL);
    pthread_create(&c, NULL, read_xy, NULL);
    r3 = atomic_load(&y);
    r4 = atomic_load(&x);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    assert(!(r1 == 1 && r2 == 0 && r3 == 1 && r4 == 0));
    return 0;
}
