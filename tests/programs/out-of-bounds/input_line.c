// The length of a line from standard input is trusted.
//@ check --strategy exhaustive: bug out-of-bounds
//@ stdin: "0123456789\n"
#include <stdio.h>

static char line[8];

int main(void)
{
    int c, n = 0;
    while ((c = getchar()) != EOF && c != '\n')
        line[n++] = (char)c; //~ BUG out-of-bounds
    return line[0] != '0';
}
