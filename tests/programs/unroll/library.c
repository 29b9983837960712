// The loops inside the library are not the user's: `strlen`, `qsort` and `strtol` of long inputs are not bounded, a user's own comparison
// function is.
//@ check --unroll 1: safe executions=1
//@ check --unroll 1 --cflag=-DOWN: inconclusive
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
#ifdef OWN
    for (int i = 0; i < 2; i++)
        if (((const char *)a)[i] != ((const char *)b)[i])
            return ((const char *)a)[i] - ((const char *)b)[i];
    return 0;
#else
    return memcmp(a, b, 2);
#endif
}

int main(void)
{
    char text[] = "aabbaaccbbddaa";
    assert(strlen(text) == 14);
    qsort(text, 7, 2, compare);
    assert(strcmp(text, "aaaaaabbbbccdd") == 0);
    assert(strtol("123456789", NULL, 10) == 123456789);
    return 0;
}
