// The total is wrong only for one pair of amounts, and only if the second transfer reads the balance before the first has written
// it. All other pairs are safe in every schedule, for the assertion compares with what they would have lost.
//@ check --races ignore: bug assertion
#include <assert.h>
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);
static unsigned balance = 1000, amounts[2];

static void *transfer(void *arg)
{
    unsigned *amount = arg;
    unsigned now = balance;
    balance = now - *amount;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    amounts[0] = __VERIFIER_nondet_uint();
    amounts[1] = __VERIFIER_nondet_uint();
    pthread_create(&a, 0, transfer, &amounts[0]);
    pthread_create(&b, 0, transfer, &amounts[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(balance == 1000 - amounts[0] - amounts[1] || amounts[0] != 123456 || amounts[1] != 654321); //~ BUG assertion
    return 0;
}
