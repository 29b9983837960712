// A pointer that is compared with a known one may be it.
//@ check: bug assertion
extern void *__VERIFIER_nondet_pointer(void);
#include <assert.h>
int x = 3;
int main(void) {
    int *p = __VERIFIER_nondet_pointer();
    if (p == &x)
        assert(*p == 4); //~ BUG assertion
    return 0;
}
