// atoi is C of gordian's own and takes symbolic text: of all strings of up to four characters, the one for 1734 fails.
//@ check --sym-arg 1 4 --stop-at-first: bug division-by-zero
#include <stdlib.h>

int main(int argc, char **argv)
{
    return 100 / (atoi(argv[argc - 1]) - 1734); //~ BUG division-by-zero
}
