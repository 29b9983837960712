// A weak exchange tried only once may fail although the value is the expected one.
//@ check --strategy exhaustive: safe
//@ check --strategy exhaustive --weak-cas-fails: bug assertion
#include <assert.h>
#include <stdatomic.h>

static atomic_int state;

int main(void)
{
    int expected = 0;
    assert(atomic_compare_exchange_weak(&state, &expected, 1)); //~ BUG assertion
    return 0;
}
