// All quotients and remainders are explored.
//@ check: bug assertion
#include <gordian.h>
#include <assert.h>
int main(void) {
    unsigned char d = gordian_uchar("d");
    gordian_assume(d != 0);
    __int128 a = -(((__int128)5 << 90) + 12345);
    __int128 q = a / d, r = a % d;
    assert(q * d + r == a);
    unsigned __int128 s = ((unsigned __int128)7 << 70) % (d + ((unsigned __int128)1 << 64));
    assert(s != (((unsigned __int128)7 << 70) % (200 + ((unsigned __int128)1 << 64)))); //~ BUG assertion
    return 0;
}
