// One value has this hash, and nobody finds it within what the solver may do. That is said: the program is not called safe.
//@ check: bounded
#include <assert.h>
extern unsigned long __VERIFIER_nondet_ulong(void);

int main(void)
{
    unsigned long hash = __VERIFIER_nondet_ulong();
    for (int round = 0; round < 8; round++) {
        hash ^= hash >> 29;
        hash *= 0xbf58476d1ce4e5b9ul;
        hash += (hash >> 32) * (hash & 0xffffffff);
        hash ^= hash >> 31;
    }
    assert(hash != 0x3ede8578ef28759ful);
    return 0;
}
