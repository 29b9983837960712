// The early return of the error path forgets the buffer.
//@ check --strategy exhaustive --leaks -- 1: safe
//@ check --strategy exhaustive --leaks: bug leak
#include <stdlib.h>

static int process(int n_arguments)
{
    char *buffer = malloc(10); //~ BUG leak
    if (n_arguments < 2)
        return -1;
    free(buffer);
    return 0;
}

int main(int argc, char **argv)
{
    (void)argv;
    return process(argc) == 0 ? 0 : 1;
}
