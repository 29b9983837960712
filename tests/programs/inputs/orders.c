// Every order of a search comes to the same end. Ways: x up to 10; y another number; x is 1234, which fails; all the rest.
//@ check --order depth: bug assertion executions=4 blocked=0
//@ check --order breadth: bug assertion executions=4 blocked=0
//@ check --order coverage: bug assertion executions=4 blocked=0
//@ check --order random --seed 3: bug assertion executions=4 blocked=0
//@ check --coverage: bug assertion executions=4 blocked=0
// It is an order of `dpor` alone.
//@ check --order breadth --strategy exhaustive: usage
#include <assert.h>
#include <gordian.h>

int main(void)
{
    int x = gordian_int("x");
    int y = gordian_int("y");
    if (x > 10 && y == x * 3 + 7)
        assert(x != 1234); //~ BUG assertion
    return 0;
}
