// A ticket lock serves in the order of arrival.
//@ check --strategy random --runs 200: bounded
//@ check --strategy pos --runs 200: bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next_ticket, now_serving;
static int counter;
static unsigned served;

static void *work(void *arg)
{
    unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&now_serving, memory_order_acquire) != mine) {
    }
    assert(served == mine);
    served++;
    counter++;
    atomic_store_explicit(&now_serving, mine + 1, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_create(&c, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    assert(counter == 3);
    return 0;
}
