// Every activation of a function counts its own loops: 3 iterations each suffice however deep the recursion is, and recursion itself is not
// bounded.
//@ check --unroll 3: safe executions=1 blocked=0
//@ check --unroll 2: inconclusive executions=0 blocked=1
#include <assert.h>

static int leaves(int depth)
{
    int n = 0;
    if (depth == 0)
        return 1;
    for (int i = 0; i < 3; i++)
        n += leaves(depth - 1);
    return n;
}

int main(void)
{
    assert(leaves(4) == 81);
    return 0;
}
