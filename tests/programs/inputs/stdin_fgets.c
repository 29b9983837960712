// Where a line ends is for the inputs to decide: of three bytes the first newline is at place 0, 1, 2 or nowhere. The assertion
// splits those with two bytes before a newline or three bytes by their first byte.
//   "\n.."  length 1          1 way
//   "x\n."  length 2          1 way
//   "xy\n"  length 3          x is 'q' (fails) or not: 2 ways
//   "xyz"   length 3          the same: 2 ways
//@ check --sym-stdin 3: bug assertion executions=6
//@ check --sym-stdin 3 --strategy exhaustive: bug assertion executions=6
// The same of a file.
//@ check --sym-file in.txt 3 -- in.txt: bug assertion executions=6
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char line[8];
    FILE *in = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (!in || !fgets(line, sizeof line, in))
        return 1;
    // The place of the newline tells the length; strlen would also ask for zeros.
    int length = 0;
    while (length < 3 && line[length] != '\n')
        length++;
    if (length >= 2)
        assert(line[0] != 'q'); //~ BUG assertion
    return 0;
}
