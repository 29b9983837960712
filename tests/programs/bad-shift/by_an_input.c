// Which amounts are too far is found for all inputs: 31 is the last that is not, so 32 is the least that breaks it.
//@ check: bug bad-shift message="by 32"
//@ check --cflag=-DMASKED: safe executions=1
//@ check --cflag=-DROTATE: bug bad-shift message="by 32"
#include <gordian.h>

unsigned rotate(unsigned x, unsigned n)
{
    return (x << n) | (x >> (32 - n)); // undefined for 0
}

int main(void)
{
    unsigned n = gordian_uint("n");
#ifdef MASKED
    return (1u << (n & 31)) == 0;
#elif defined ROTATE
    return rotate(1, n & 31) == 0;
#else
    return (1u << n) == 0;
#endif
}
