// The remainder divides, too. The argument decides.
//@ check --strategy exhaustive -- 3: safe
//@ check --strategy exhaustive -- 0: bug division-by-zero
#include <stdlib.h>

int main(int argc, char **argv)
{
    unsigned buckets = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    return 7 % buckets == 2; //~ BUG division-by-zero
}
