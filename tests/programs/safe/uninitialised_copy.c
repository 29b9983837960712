// Copying memory that was never written is no use of it: padding and unused members may travel with a structure.
//@ check --strategy exhaustive --uninit: safe
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct padded {
    char tag;
    long value;
    int unused;
};

int main(void)
{
    struct padded *a = malloc(sizeof *a);
    int *zeroed = calloc(4, sizeof *zeroed);
    struct padded b;
    if (a == NULL || zeroed == NULL)
        return 1;
    a->tag = 'x';
    a->value = 5;
    memcpy(&b, a, sizeof b);
    assert(b.tag == 'x' && b.value == 5);
    assert(zeroed[3] == 0);
    free(a);
    free(zeroed);
    return 0;
}
