// A word of /dev/zero has no end.
//@ check: inconclusive message="which does not come to an end"
#include <stdio.h>
int main(void) {
    char word[8];
    FILE *zeros = fopen("/dev/zero", "r");
    return fscanf(zeros, "%s", word);
}
