// malloc does not clear: a branch on fresh memory is a branch on anything.
//@ check --strategy exhaustive --uninit: bug uninitialised
//@ check --strategy exhaustive: safe
#include <stdlib.h>

int main(void)
{
    int *flags = malloc(4 * sizeof *flags);
    int n = 0;
    if (flags == NULL)
        return 1;
    flags[0] = 1;
    if (flags[0])
        n++;
    if (flags[1]) //~ BUG uninitialised
        n++;
    free(flags);
    return n > 2;
}
