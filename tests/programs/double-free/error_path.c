// The error path frees what the caller frees again.
//@ check --strategy exhaustive -- good: safe
//@ check --strategy exhaustive -- bad: bug double-free
#include <stdlib.h>
#include <string.h>

static int parse(char *copy)
{
    if (strcmp(copy, "good") != 0) {
        free(copy);
        return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    char *copy = strdup(argc > 1 ? argv[1] : "good");
    if (copy == NULL)
        return 1;
    int result = parse(copy);
    free(copy); //~ BUG double-free
    return result == 0 ? 0 : 1;
}
