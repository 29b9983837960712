// malloc, calloc, realloc, aligned_alloc, strdup and free, used rightly; free(NULL) does nothing.
//@ check --strategy exhaustive --leaks: safe
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *text = malloc(4);
    if (text == NULL)
        return 1;
    strcpy(text, "abc");
    char *longer = realloc(text, 8);
    if (longer == NULL)
        return 1;
    strcat(longer, "def");
    char *copy = strdup(longer);
    void *aligned = aligned_alloc(64, 128);
    assert(copy != NULL && strcmp(copy, "abcdef") == 0 && copy != longer);
    assert((uintptr_t)aligned % 64 == 0);
    free(NULL);
    free(aligned);
    free(copy);
    free(longer);
    return 0;
}
