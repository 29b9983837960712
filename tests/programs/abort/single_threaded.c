// abort() ends the program abnormally: always a finding.
//@ check --strategy exhaustive: bug abort
#include <stdlib.h>

int main(void)
{
    int *table = calloc(4, sizeof *table);
    if (table == NULL)
        return 0;
    if (table[2] == 0)
        abort(); //~ BUG abort
    free(table);
    return 0;
}
