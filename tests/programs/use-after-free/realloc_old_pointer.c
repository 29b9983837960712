// After realloc the old pointer is dead, wherever the new block lies.
//@ check --strategy exhaustive: bug use-after-free
#include <stdlib.h>

int main(void)
{
    char *text = malloc(4);
    if (text == NULL)
        return 1;
    char *longer = realloc(text, 4000);
    if (longer == NULL)
        return 1;
    text[0] = 'x'; //~ BUG use-after-free
    free(longer);
    return 0;
}
