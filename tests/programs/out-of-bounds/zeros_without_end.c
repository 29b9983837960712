// A device gives whatever one asks for, so a length that is too large writes beyond the buffer.
//@ check: bug out-of-bounds
//@ check --strategy exhaustive: bug out-of-bounds
#include <stdio.h>
int main(void) {
    char buffer[8];
    FILE *zeros = fopen("/dev/zero", "r");
    volatile unsigned long length = -1UL;
    size_t n = fread(buffer, 1, length, zeros); //~ BUG out-of-bounds
    return n == 0;
}
