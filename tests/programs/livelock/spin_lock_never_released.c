// A hand-made lock is not released on the error path: the other thread spins on it for ever.
//@ check --strategy random --runs 300 --max-steps 5000: bug livelock
#include <pthread.h>
#include <stdatomic.h>

static atomic_int held;
static int stock = 1;

static void *sell(void *arg)
{
    for (;;) {
        while (atomic_load(&held)) { //~ BUG livelock
        }
        int is_free = 0;
        if (atomic_compare_exchange_strong(&held, &is_free, 1))
            break;
    }
    if (stock == 0)
        return arg;
    stock--;
    atomic_store(&held, 0);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, sell, NULL);
    pthread_create(&b, NULL, sell, NULL);
    sell(NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
