// scanf reads a number whose digits stay symbolic: of all inputs of three bytes, those for -7 and for 42 fail (also written 042,
// +42 and so on). The digits themselves are no ways to go, what is a digit, a sign or white space is.
//@ check --sym-stdin 3: bug assertion,division-by-zero
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int n;
    if (scanf("%d", &n) != 1)
        return 1;
    assert(n != -7);        //~ BUG assertion
    return 1000 / (n - 42); //~ BUG division-by-zero
}
