// What is counted is how often a loop goes back: a body that comes before its condition and runs three times goes back twice.
//@ check --unroll 2: safe executions=1 blocked=0
//@ check --unroll 1: inconclusive executions=0 blocked=1
#include <assert.h>

int main(void)
{
    int i = 0;
    do
        i++;
    while (i < 3);
    assert(i == 3);
    return 0;
}
