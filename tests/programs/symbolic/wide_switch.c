// A switch over 128 bits of which an input chooses: values that differ in the upper half alone, and beyond those of long.
//@ check: bug assertion
//@ check --cflag=-DNO_SUCH_CASE: safe
#include <gordian.h>
#include <assert.h>

int main(void)
{
    __int128 x = gordian_uchar("x");
    int way = 0;
    switch (x << 80 | 5) {
    case (__int128)1 << 80 | 5: way = 1; break;
    case (__int128)2 << 80 | 5: way = 2; break;
    case (__int128)300 << 80 | 5: way = 3; break;
    case (__int128)1 << 80: way = 4; break;
    default: way = 5;
    }
#ifdef NO_SUCH_CASE
    assert(way != 3 && way != 4 && way != 0);
#else
    assert(way != 2); //~ BUG assertion
#endif
    return 0;
}
