// Arguments and compiler flags come from the directives.
//@ check --strategy exhaustive -- two 2: safe
//@ cflag: -DEXPECTED_ARGUMENTS=3
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    assert(argc == EXPECTED_ARGUMENTS);
    assert(strcmp(argv[1], "two") == 0);
    assert(atoi(argv[2]) == 2);
    assert(argv[argc] == NULL);
    return 0;
}
