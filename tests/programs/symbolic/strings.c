// gordian's string functions are part of the program, so what is known of a string follows from where they stop. One string in 2^32
// is `gor`, one number is 42.
//@ check: bug assertion
#include <assert.h>
#include <stdlib.h>
#include <string.h>
void gordian_symbolic(void *place, unsigned long size, const char *name);

int main(void)
{
    char text[4], copy[8];
    gordian_symbolic(text, 3, "text");
    text[3] = 0;
    size_t length = strlen(text);
    assert(length <= 3);
    strcpy(copy, text);
    assert(memcmp(copy, text, length + 1) == 0);
    char *dot = strchr(copy, '.');
    assert(!dot || *dot == '.');
    if (length == 2)
        assert(atoi(copy) != 42); //~ BUG assertion
    if (strcmp(copy, "gor") == 0)
        assert(copy[1] != 'o'); //~ BUG assertion
    return 0;
}
