// An assertion that fails in the only schedule there is.
//@ check --strategy exhaustive: bug assertion executions=1
//@ check --strategy random --runs 1: bug assertion
//@ check --strategy exhaustive: bug assertion message="n % 2 == 0"
#include <assert.h>

static int next(int n)
{
    return n % 2 == 0 ? n / 2 : 3 * n + 1;
}

int main(void)
{
    int n = 6;
    while (n != 1) {
        n = next(n);
        assert(n % 2 == 0); //~ BUG assertion
    }
    return 0;
}
