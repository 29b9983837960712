// One element past the end of a heap array: the loop runs to <= n.
//@ check --strategy exhaustive: bug out-of-bounds
#include <stdlib.h>

static void fill(int *values, int n)
{
    for (int i = 0; i <= n; i++)
        values[i] = i; //~ BUG out-of-bounds
}

int main(void)
{
    int *values = malloc(4 * sizeof *values);
    if (values == NULL)
        return 1;
    fill(values, 4);
    free(values);
    return 0;
}
