// A program for KLEE as it is. x is 0 to 9 and y any int: the sum is 12 for y = 3 - x + 9 alone; the assumption takes that
// down to one pair. Two ways to go at the assertion.
//@ check: bug assertion executions=2
#include <assert.h>
#include <klee/klee.h>

int main(void)
{
    int x = klee_range(0, 10, "x"), y, z = klee_int("z");
    klee_make_symbolic(&y, sizeof y, "y");
    klee_assume(x == 7);
    klee_assume(z == y);
    assert(x + z != 12); //~ BUG assertion
    return 0;
}
