// The inversion with C11 mutexes; one side asks for the second lock only if it is the first to arrive.
//@ check --strategy exhaustive: bug deadlock
#include <stdatomic.h>
#include <threads.h>

static mtx_t a, b;
static atomic_int arrivals;

static int backwards(void *arg)
{
    (void)arg;
    mtx_lock(&b);
    if (atomic_fetch_add(&arrivals, 1) == 0) {
        mtx_lock(&a); //~ BUG deadlock
        mtx_unlock(&a);
    }
    mtx_unlock(&b);
    return 0;
}

int main(void)
{
    thrd_t thread;
    mtx_init(&a, mtx_plain);
    mtx_init(&b, mtx_plain);
    thrd_create(&thread, backwards, NULL);
    mtx_lock(&a);
    atomic_fetch_add(&arrivals, 1);
    mtx_lock(&b); //~ BUG deadlock
    mtx_unlock(&b);
    mtx_unlock(&a);
    thrd_join(thread, NULL);
    return 0;
}
