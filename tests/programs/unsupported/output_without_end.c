// Output is kept for the report, so there is an end to it.
//@ check: inconclusive
#include <stdio.h>
#include <string.h>

static char line[1 << 16];

int main(void)
{
    memset(line, '-', sizeof line - 1);
    for (;;)
        puts(line);
}
