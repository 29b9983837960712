// The compiler's own setjmp and longjmp.
//@ native
#include <stdio.h>

static void *buffer[5];

static void leave(int depth) {
    if (depth == 0)
        __builtin_longjmp(buffer, 1);
    leave(depth - 1);
}

int main(void) {
    volatile int n = 0;
    if (__builtin_setjmp(buffer) == 0) {
        n = 1;
        leave(3);
        n = 2;
    }
    printf("%d\n", n);
    return 0;
}
