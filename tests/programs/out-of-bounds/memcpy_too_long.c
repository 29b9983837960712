// The size is taken from the larger of two objects.
//@ check --strategy exhaustive: bug out-of-bounds
#include <string.h>

static char small[8], large[16];

int main(void)
{
    volatile size_t n = sizeof large;
    memcpy(small, large, n); //~ BUG out-of-bounds
    return 0;
}
