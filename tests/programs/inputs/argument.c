// A parser of the first argument, unchanged. `-v` and a digit are looked for: the branches are argc (decided), byte 0, byte 1
// and byte 2, each of which can go on or end; `9` crashes. With three characters: not '-', not 'v', not '9', and the crash:
// four executions.
//@ check --sym-arg 1 3: bug assertion executions=4 message="level < 9"
// Two characters are too few for it: byte 2 is the end of the string.
//@ check --sym-arg 1 2: safe executions=3
// Given arguments take the places that are left.
//@ check --sym-arg 2 3 -- first: safe executions=1
// One value of many: drawn from the seed.
//@ check --sym-arg 1 3 --fixed-inputs: bounded executions=1
#include <assert.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 2 && (argc != 3 || strcmp(argv[1], "first") != 0))
        return 1;
    if (argc == 2 && argv[1][0] == '-')
        if (argv[1][1] == 'v')
            if (argv[1][2] == '9') {
                int level = argv[1][2] - '0';
                assert(level < 9); //~ BUG assertion
            }
    return 0;
}
