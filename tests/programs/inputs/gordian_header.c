// The header is there without any flag, and every function of it gives every value of its type. Ways to go: the branch on
// `small` fails for one value (the assertion), holds for the others; all other comparisons hold for every value, because
// the types are as wide as declared. So two executions, one of which fails.
//@ check: bug assertion executions=2 message="small != 42"
#include <assert.h>
#include <gordian.h>
#include <limits.h>
#include <stdint.h>

int main(void)
{
    int flag = gordian_bool("flag");
    assert(flag >= 0 && flag <= 1);
    assert(gordian_char("char") >= CHAR_MIN && gordian_schar("schar") >= SCHAR_MIN);
    assert(gordian_uchar("uchar") <= UCHAR_MAX);
    assert(gordian_short("short") >= SHRT_MIN && gordian_ushort("ushort") <= USHRT_MAX);
    assert(gordian_int("int") >= INT_MIN && gordian_uint("uint") <= UINT_MAX);
    assert(gordian_long("long") >= LONG_MIN && gordian_ulong("ulong") <= ULONG_MAX);
    assert(gordian_size("size") <= SIZE_MAX);
    int bytes[3];
    gordian_symbolic(bytes, sizeof bytes, "bytes");
    int small = gordian_range(1, 100, "small");
    gordian_assume(bytes[1] == small);
    assert(small != 42); //~ BUG assertion
    return 0;
}
