// getline of two bytes: the newline is first, second or nowhere; the assertion asks for the first byte where there is one
// before the newline: "\n." 1 way, "x\n" 2 ways, "xy" 2 ways.
//@ check --sym-stdin 2 --leaks: bug assertion executions=5
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = getline(&line, &capacity, stdin);
    int bad = length == 2 ? line[0] == '!' : 0;
    free(line);
    assert(!bad); //~ BUG assertion
    return 0;
}
