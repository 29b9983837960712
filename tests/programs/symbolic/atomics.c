// Two threads add what inputs say; the sum is the same in both orders. Whether an exchange happens is decided by inputs in each of
// them.
//@ check: safe executions=2 blocked=0
//@ check --cflag=-DEXCHANGE: safe executions=4 blocked=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
extern unsigned __VERIFIER_nondet_uint(void);
static atomic_uint sum;
static unsigned inputs[2];

static void *add(void *arg)
{
    unsigned *mine = arg;
    atomic_fetch_add(&sum, *mine);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    inputs[0] = __VERIFIER_nondet_uint();
    inputs[1] = __VERIFIER_nondet_uint();
    pthread_create(&a, 0, add, &inputs[0]);
    pthread_create(&b, 0, add, &inputs[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(sum == inputs[0] + inputs[1]);
#ifdef EXCHANGE
    unsigned expected = 5;
    if (atomic_compare_exchange_strong(&sum, &expected, 6))
        assert(sum == 6);
    else
        assert(expected == sum && sum != 5);
#endif
    return 0;
}
