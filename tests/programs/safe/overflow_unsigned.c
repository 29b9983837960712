// Unsigned arithmetic wraps by definition, and signed conversions are no arithmetic: nothing for --overflow to say.
//@ check --strategy exhaustive --overflow: safe
#include <assert.h>
#include <limits.h>
#include <stdint.h>

static unsigned add(unsigned a, unsigned b)
{
    return a + b;
}

static int8_t shorten(int n)
{
    return (int8_t)n;
}

int main(void)
{
    volatile int big = 200;
    assert(add(UINT_MAX, 2) == 1);
    assert(shorten(big) == -56);
    assert((unsigned char)(big + 100) == 44);
    return 0;
}
