// 128 bits: the square of one number of 64 bits has these upper bits and no other.
//@ check: safe
//@ check --cflag=-DSEEK: bug assertion executions=2
#include <assert.h>
extern unsigned long __VERIFIER_nondet_ulong(void);

int main(void)
{
    unsigned long n = __VERIFIER_nondet_ulong() & 0xffff;
    unsigned __int128 wide = ((unsigned __int128)n << 70) + n;
    assert((unsigned long)(wide >> 70) == n);
    assert((unsigned long)wide == ((n << 0) | 0));
    assert(__builtin_popcountl(n) == __builtin_popcountl(__builtin_bswap64(n)));
#ifdef SEEK
    assert((unsigned long)(wide >> 72) != 0x1234); //~ BUG assertion
#endif
    return 0;
}
