// A line of /dev/zero has no end.
//@ check: inconclusive message="which does not come to an end"
//@ check --strategy exhaustive: inconclusive message="which does not come to an end"
#include <stdio.h>
int main(void) {
    char *line = NULL;
    size_t capacity = 0;
    FILE *zeros = fopen("/dev/zero", "r");
    return getline(&line, &capacity, zeros) == 0;
}
