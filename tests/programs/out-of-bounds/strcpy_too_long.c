// The copy has no room for the terminating zero; the access happens inside strcpy, the culprit is its caller.
//@ check --strategy exhaustive: bug out-of-bounds
#include <stdlib.h>
#include <string.h>

static char *copy(const char *text)
{
    char *result = malloc(strlen(text));
    if (result != NULL)
        strcpy(result, text); //~ BUG out-of-bounds
    return result;
}

int main(void)
{
    free(copy("gordian"));
    return 0;
}
