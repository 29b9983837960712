// INT_MIN has no positive counterpart.
//@ check --strategy exhaustive --overflow: bug overflow
#include <limits.h>

static int absolute(int n)
{
    return n < 0 ? -n : n; //~ BUG overflow
}

int main(void)
{
    return absolute(INT_MIN) == 1;
}
