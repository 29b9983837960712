// A table at symbolic places: nothing is decided but whether the place is within the table and what the assertion says.
// Within, and the assertion holds; it cannot fail, because what was written is read again. Outside: 1. So 2 executions.
//@ check: bug out-of-bounds executions=2
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    unsigned i = __VERIFIER_nondet_uint();
    table[i] = 40; //~ BUG out-of-bounds
    table[i] += table[i ^ 0] + 2;
    assert(table[i] == 82);
    return 0;
}
