// The solver gives up on one bit of the index, a factorisation. The other bits of it must be decided all the same: the program is right, whatever they are.
//@ check: bounded
#include <assert.h>
#include <gordian.h>
#include <string.h>

static char table[64];

int main(void) {
    unsigned long x = gordian_ulong("x"), y = gordian_ulong("y");
    unsigned z = gordian_uint("z");
    unsigned long hard = (x * y == 4611685975477714963UL) & (x > 1) & (y > 1) & (x < 1UL << 32) & (y < 1UL << 32);
    unsigned long easy = z == 77;
    char *to = table + (hard * 32 + easy * 16);
    memcpy(to, "a", 1);
    if (z == 77)
        assert(table[16] == 'a' || table[48] == 'a');
    else
        assert(table[0] == 'a' || table[32] == 'a');
}
