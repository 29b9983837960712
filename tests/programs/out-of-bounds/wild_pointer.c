// An address out of thin air belongs to no object.
//@ check --strategy exhaustive: bug out-of-bounds
#include <stdint.h>

int main(void)
{
    volatile uintptr_t address = 0x123456;
    int *p = (int *)address;
    return *p; //~ BUG out-of-bounds
}
