// An allocation that is refused here though natively it might not be is told in a note.
//@ check: safe message="was refused"
#include <assert.h>
#include <stdlib.h>
int main(void) {
    char *huge = malloc((size_t)1 << 40);
    assert(huge == NULL);
    free(huge);
    return 0;
}
