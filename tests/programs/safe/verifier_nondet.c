// Inputs of every type may have any value of that type; the assertions hold for all of them. A run tries one seeded value
// for each, so no search over schedules alone may call the program safe.
//@ check --strategy exhaustive: safe
//@ check --strategy exhaustive --fixed-inputs --seed 1: bounded
//@ check --strategy random --runs 20 --seed 7: bounded
#include <assert.h>
#include <limits.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
extern short __VERIFIER_nondet_short(void);
extern long __VERIFIER_nondet_long(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    int i = __VERIFIER_nondet_int();
    unsigned u = __VERIFIER_nondet_uint();
    char c = __VERIFIER_nondet_char();
    short s = __VERIFIER_nondet_short();
    long l = __VERIFIER_nondet_long();
    _Bool b = __VERIFIER_nondet_bool();
    assert((i & 1) == 0 || (i & 1) == 1);
    assert(u / 2 <= UINT_MAX / 2);
    assert(c >= CHAR_MIN && c <= CHAR_MAX);
    assert((long)s * 2 <= 2L * SHRT_MAX);
    assert(l <= LONG_MAX);
    assert(b == 0 || b == 1);
    return 0;
}
