// Arrays of variable length that were not set, as other locals: what decides a branch makes the verdict inconclusive.
//@ check: inconclusive message="is read before it was set"
//@ check --cflag=-DSET: safe
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int n = argc + 2;
    int values[n];
#ifdef SET
    memset(values, 0, sizeof values);
#endif
    (void)argv;
    if (values[1] == 0) printf("zero\n");
}
