// The first bytes differ, but all eight must be there.
//@ check: bug out-of-bounds
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *a = calloc(4, 1), *b = calloc(4, 1);
    a[0] = 1;
    b[0] = 2;
    printf("%d\n", memcmp(a, b, 8)); //~ BUG out-of-bounds
    free(a);
    free(b);
    return 0;
}
