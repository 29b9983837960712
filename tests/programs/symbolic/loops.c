// A loop bounded by an input, and a recursion on it: 0 to 5 rounds, 6 executions; the recursion knows what the loop decided.
//@ check: safe executions=6 blocked=0
#include <assert.h>
int gordian_range(int, int, const char *);

static int sum(int n)
{
    return n == 0 ? 0 : n + sum(n - 1);
}

int main(void)
{
    int n = gordian_range(0, 5, "n"), total = 0;
    for (int i = 1; i <= n; i++)
        total += i;
    assert(total == sum(n));
    return 0;
}
