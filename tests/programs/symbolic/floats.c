// Floating-point arithmetic takes one value of many, which is said: what was not seen is not called safe.
//@ check: bounded
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    double half = n / 2.0;
    assert(half < 1e10);
    return 0;
}
