// A sum of more inputs than a normal form of comparisons has room for, times a constant.
//@ check: bug assertion
//@ check --cflag=-DEVEN: safe
//@ check --strategy exhaustive --cflag=-DEVEN: safe
#include <gordian.h>
#include <assert.h>

int main(void)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"};
    unsigned sum = 0;
    for (int n = 0; n < 13; n++)
        sum += gordian_uint(names[n]);
#ifdef EVEN
    assert(sum * 6 != 9);
    assert(!(sum * 6 < 24 && sum * 6 % 2 == 1));
#else
    assert((int)(sum * 12) != 36); //~ BUG assertion
#endif
    return 0;
}
