// The only pointer to the block is overwritten; only --leaks asks.
//@ check --strategy exhaustive --leaks: bug leak
//@ check --strategy exhaustive: safe
#include <stdlib.h>

int main(void)
{
    char *buffer = malloc(10); //~ BUG leak
    if (buffer == NULL)
        return 1;
    buffer = malloc(20);
    free(buffer);
    return 0;
}
