// The older name of the same, behind the usual wrapper; the sum of two bytes never exceeds 510.
//@ check --strategy exhaustive: bug assertion
extern void __VERIFIER_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

static void __VERIFIER_assert(int condition)
{
    if (!condition)
        __VERIFIER_error(); //~ BUG assertion
}

int main(void)
{
    unsigned a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar();
    __VERIFIER_assert(a + b > 510);
    return 0;
}
