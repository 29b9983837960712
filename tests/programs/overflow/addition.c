// A signed sum beyond INT_MAX is undefined; only --overflow looks at it.
//@ check --strategy exhaustive --overflow: bug overflow
//@ check --strategy exhaustive: safe
#include <limits.h>

static int add(int a, int b)
{
    return a + b; //~ BUG overflow
}

int main(void)
{
    return add(INT_MAX - 1, 1) == add(INT_MAX, 1);
}
