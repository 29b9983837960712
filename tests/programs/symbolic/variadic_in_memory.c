// Inputs keep their meaning in variadic arguments that are passed in memory: a struct of more than 16 bytes, one whose size is no multiple of 8,
// a number of 128 bits.
//@ check: bug assertion
//@ check --cflag=-DODD: bug assertion
//@ check --cflag=-DWIDE: bug assertion
#include <assert.h>
#include <stdarg.h>

extern long __VERIFIER_nondet_long(void);

#if defined WIDE
typedef __int128 argument;
#elif defined ODD
typedef struct {
    char bytes[19];
} argument;
#else
typedef struct {
    long a, b, c;
} argument;
#endif

static long first(int n, ...)
{
    va_list list;
    va_start(list, n);
    argument given = va_arg(list, argument);
    int last = va_arg(list, int);
    va_end(list);
    assert(last == 7);
#if defined WIDE
    return (long)(given >> 64);
#elif defined ODD
    return given.bytes[17];
#else
    return given.a;
#endif
}

int main(void)
{
    long input = __VERIFIER_nondet_long();
#if defined WIDE
    argument given = (argument)input << 64;
#elif defined ODD
    argument given = {{0}};
    given.bytes[17] = (char)input;
#else
    argument given = {input, 0, 0};
#endif
    assert(first(1, given, 7) != 42); //~ BUG assertion
    return 0;
}
