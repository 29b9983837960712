// The size of a block that was freed is asked for.
//@ check: bug use-after-free
//@ check --strategy exhaustive: bug use-after-free
#include <malloc.h>
#include <stdlib.h>
int main(void) {
    char *block = malloc(3);
    free(block);
    return malloc_usable_size(block) == 0; //~ BUG use-after-free
}
