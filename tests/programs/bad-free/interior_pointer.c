// The pointer moved on while the text was read; free needs the one that malloc returned.
//@ check --strategy exhaustive: bug bad-free
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *text = strdup("  indented");
    if (text == NULL)
        return 1;
    while (*text == ' ')
        text++;
    free(text); //~ BUG bad-free
    return 0;
}
