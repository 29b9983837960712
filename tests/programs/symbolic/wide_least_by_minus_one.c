// The least number of 128 bits divided by minus one.
//@ check: bug division-by-zero,overflow
#include <gordian.h>
int main(void) {
    signed char d = gordian_char("d");
    __int128 least = (__int128)((unsigned __int128)1 << 127);
    return (int)(least / d);
}
