// A shift by the width of a value, or by a negative number, is undefined: processors do different things. Wide values and both
// directions count, and what is shifted by less than its width does not.
//@ check --strategy exhaustive: bug bad-shift
//@ check --cflag=-DRIGHT: bug bad-shift message="shift of a value of 32 bits by -1"
//@ check --cflag=-DWIDE: bug bad-shift message="shift of a value of 128 bits by 128"
//@ check --cflag=-DASSIGN: bug bad-shift message="shift of a value of 32 bits by 33"
//@ check --cflag=-DFINE: safe
int main(void)
{
    volatile int n = 32, minus = -1;
#ifdef RIGHT
    return 5 >> minus;
#elif defined WIDE
    return (int)((unsigned __int128)1 << (4 * n));
#elif defined ASSIGN
    volatile unsigned x = 1;
    x >>= n + 1;
    return x;
#elif defined FINE
    struct { unsigned a : 5, b : 20; unsigned long c : 40; } fields = {1, 2, 3};
    fields.b <<= 3;
    fields.c >>= 1;
    unsigned char small = 255;
    small <<= 9;
    return (1L << n) + ((unsigned __int128)1 << (3 * n)) == 0 || (small >> (n - 1)) || fields.b != 16 || fields.c != 1;
#else
    return 1 << n;
#endif
}
