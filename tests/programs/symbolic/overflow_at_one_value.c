// One of the 2^32 values overflows. The inputs that do and those that do not are two executions.
//@ check --overflow: bug overflow executions=2
//@ check: safe executions=1
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    unsigned hidden = (unsigned)n ^ 0x2545f491u;
    int next = (int)(hidden + 0x11111111u) + 1; //~ BUG overflow
    return next == 0;
}
