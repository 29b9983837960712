// A local array is not for free().
//@ check --strategy exhaustive: bug bad-free
#include <stdlib.h>

static void release(void *p)
{
    free(p); //~ BUG bad-free
}

int main(void)
{
    int array[4] = {0};
    release(array);
    return 0;
}
