// A program that allocates for ever must not take gordian with it. Saying that malloc fails instead would report
// failures that a larger machine does not have.
//@ check: inconclusive
#include <stdlib.h>

int main(void)
{
    for (;;)
        if (malloc(1 << 28) == NULL)
            return 1;
}
