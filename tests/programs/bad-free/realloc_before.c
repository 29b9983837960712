// `realloc` of a pointer to what lies before its object.
//@ check: bug bad-free
#include <stdlib.h>

int main(void) {
    char *p = malloc(16);
    if (!p)
        return 1;
    p = realloc(p - 8, 32); //~ BUG bad-free
    free(p);
    return 0;
}
