// One path through the function sets the result, the other does not.
//@ check --strategy exhaustive --uninit: bug uninitialised
//@ cflag: -Wno-sometimes-uninitialized
#include <stdlib.h>

static int classify(int n)
{
    int result;
    if (n > 0)
        result = 1;
    else if (n < 0)
        result = -1;
    return result; //~ BUG uninitialised
}

int main(int argc, char **argv)
{
    (void)argv;
    if (classify(1 - argc) == 1)
        return 1;
    return 0;
}
