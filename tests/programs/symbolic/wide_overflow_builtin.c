// Arithmetic of 128 bits that is checked for overflow, on inputs.
//@ check: bug assertion
#include <gordian.h>
#include <assert.h>
int main(void) {
    unsigned char x = gordian_uchar("x");
    __int128 big = ((__int128)1 << 126) - 1, sum;
    if (__builtin_mul_overflow(big, (__int128)x, &sum))
        assert(x != 3); //~ BUG assertion
    else
        assert(x <= 2 && sum == big * x);
    assert(!__builtin_add_overflow(big, (__int128)x, &sum));
    return 0;
}
