// A loop that goes round three times: three are enough for it, two are not. The last test of a loop's condition, which ends it, is no
// iteration. Without the bound nothing is counted.
//@ check --unroll 3: safe executions=1 blocked=0
//@ check --unroll 2: inconclusive executions=0 blocked=1
//@ check: safe executions=1
#include <assert.h>

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += i;
    assert(sum == 3);
    return 0;
}
