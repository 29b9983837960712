// Division of more than 64 bits by what inputs decide: zero, and minus one below the least number.
//@ check: bug division-by-zero
#include <gordian.h>
#include <assert.h>
int main(void) {
    unsigned char d = gordian_uchar("d");
    unsigned __int128 a = ((unsigned __int128)1 << 100) + 7;
    unsigned __int128 q = a / (d & 7); //~ BUG division-by-zero
    assert(q >= a >> 3);
    return 0;
}
