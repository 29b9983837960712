// A stream takes all that its pipe holds when it reads the first byte.
//@ native
//@ check: safe
#include <assert.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char byte;
    assert(pipe(ends) == 0);
    assert(write(ends[1], "ab", 2) == 2);
    close(ends[1]);
    FILE *stream = fdopen(ends[0], "r");
    assert(fgetc(stream) == 'a');
    assert(read(ends[0], &byte, 1) == 0);
    assert(fgetc(stream) == 'b');
    assert(fgetc(stream) == EOF);
    return 0;
}
