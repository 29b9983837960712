// An index that became negative reads before the object.
//@ check --strategy exhaustive: bug out-of-bounds
#include <stdlib.h>
#include <string.h>

static char last_char(const char *text)
{
    return text[(long)strlen(text) - 1]; //~ BUG out-of-bounds
}

int main(void)
{
    char *empty = calloc(1, 1);
    if (empty == NULL)
        return 1;
    char c = last_char(empty);
    free(empty);
    return c == 'x';
}
