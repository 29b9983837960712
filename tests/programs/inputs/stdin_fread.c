// Whole blocks keep what they stand for: the sum of the four bytes is one comparison, so two ways.
//@ check --sym-stdin 4: bug assertion executions=2
#include <assert.h>
#include <stdio.h>

int main(void)
{
    unsigned char block[4];
    assert(fread(block, 1, sizeof block, stdin) == 4);
    assert(block[0] + 256 * block[1] + 3 * block[2] + block[3] != 66048); //~ BUG assertion
    return 0;
}
