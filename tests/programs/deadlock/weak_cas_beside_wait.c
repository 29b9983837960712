// Two threads wait for a signal that nobody gives, and a third tries a weak exchange twice. What the exchanges do does not concern the others:
// two orders of the locks times the ways of the exchanges (success then failure for a reason, or failure for none first, then success or
// failure for none again; success, then failure for none): 2 × 4.
//@ check --weak-cas-fails: bug deadlock executions=8 blocked=0
#include <pthread.h>
#include <stdatomic.h>

static int flag;
static atomic_int a;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void await(void)
{
    pthread_mutex_lock(&m);
    if (!flag)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
}

static void *waiter(void *arg)
{
    await();
    return arg;
}

static void *exchanger(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int expected = 0;
        if (!atomic_compare_exchange_weak(&a, &expected, 2))
            (void)expected;
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, waiter, 0);
    pthread_create(&threads[1], 0, exchanger, 0);
    await();
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
