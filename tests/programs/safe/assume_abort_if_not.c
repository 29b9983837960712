// `abort` behind this function's condition is an assumption.
//@ check: safe
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
void assume_abort_if_not(int cond) {
    if (!cond) {
        abort();
    }
}
int main(void) {
    int x = __VERIFIER_nondet_int();
    assume_abort_if_not(x > 3 && x < 10);
    assert(x * x >= 16 && x * x <= 81);
    return 0;
}
