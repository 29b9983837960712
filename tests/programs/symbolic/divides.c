// By zero, the least number by minus one, and all else: 3 executions, of which the first two are failures of one kind and one of
// the other.
//@ check: bug division-by-zero,overflow executions=3
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    volatile int quotient = a / (b ^ 7); //~ BUG division-by-zero, overflow
    return quotient == 0;
}
