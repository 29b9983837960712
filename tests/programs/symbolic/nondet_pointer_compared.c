// A pointer of which nothing is known is null or not, and nobody looks further.
//@ check: bug assertion
extern void *__VERIFIER_nondet_pointer(void);
#include <assert.h>
int main(void) {
    void *p = __VERIFIER_nondet_pointer();
    assert(p == 0); //~ BUG assertion
    return 0;
}
