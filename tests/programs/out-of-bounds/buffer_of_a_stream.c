// `setbuf` takes its buffer to be of BUFSIZ bytes.
//@ run: bug out-of-bounds
#include <stdio.h>

int main(void) {
    static char small[64];
    setbuf(stdout, small);
    puts("hello"); //~ BUG out-of-bounds
    return 0;
}
