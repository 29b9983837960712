// Remainders of 64 bits by what one byte decides: all 256 values are tried, where a circuit would take a solver seconds.
//@ check: safe
#include <assert.h>
#include <gordian.h>
int main(void) {
    unsigned char x = gordian_uchar("x");
    unsigned long y = (unsigned long)x * 0x9e3779b97f4a7c15ul + 12345;
    unsigned long z = 0xdeadbeefcafebabeul % (y | 1);
    assert(z % 1000003 != 77);
    return 0;
}
