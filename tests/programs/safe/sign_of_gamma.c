// `lgamma_r` writes the sign of the gamma function, which alternates between the negative integers.
//@ check: safe
//@ native
#define _GNU_SOURCE
#include <assert.h>
#include <math.h>

int main(void)
{
    static const struct {
        double x;
        int sign;
    } known[] = {{-0.5, -1}, {-1.5, 1}, {-2.5, -1}, {-0.0, -1}, {0.0, 1}, {-3.0, 1}, {4.5, 1}, {-1e300, 1}};
    for (unsigned n = 0; n < sizeof known / sizeof *known; n++) {
        int sign = 0, single = 0;
        double value = lgamma_r(known[n].x, &sign);
        lgammaf_r((float)known[n].x, &single);
        assert(sign == known[n].sign);
        if (known[n].x > -1e30)
            assert(single == known[n].sign);
        if (n == 0)
            assert(value > 1.2655 && value < 1.2656);
    }
    return 0;
}
