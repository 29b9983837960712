// The buffer fits short arguments only. The program's arguments decide.
//@ check --strategy exhaustive -- short: safe
//@ check --strategy exhaustive -- much-too-long: bug out-of-bounds
#include <stdlib.h>

int main(int argc, char **argv)
{
    char *buffer = malloc(8);
    if (argc < 2 || buffer == NULL)
        return 1;
    for (int i = 0; argv[1][i] != '\0'; i++)
        buffer[i] = argv[1][i]; //~ BUG out-of-bounds
    free(buffer);
    return 0;
}
