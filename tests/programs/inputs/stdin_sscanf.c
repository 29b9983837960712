// A line and sscanf on it, the usual pair: "x5" is the one line of two bytes that fails.
//@ check --sym-stdin 2: bug assertion
#include <assert.h>
#include <stdio.h>

int main(void)
{
    char line[4], c;
    unsigned n;
    if (fgets(line, sizeof line, stdin) && sscanf(line, "%c%u", &c, &n) == 2 && c == 'x')
        assert(n != 5); //~ BUG assertion
    return 0;
}
