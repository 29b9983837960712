// After `clearenv` there is no array of strings until the next one is set.
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    printf("%d", clearenv());
    printf(" %d %d\n", environ == NULL, getenv("PATH") == NULL);
    setenv("A", "b", 1);
    printf("%s %d\n", environ[0], environ[1] == NULL);
    return 0;
}
