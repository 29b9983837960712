// Arithmetic on constants that the compiler folds. It is an error where an execution comes to it, and only there. Each case is
// a program of its own, chosen by an argument.
//@ cflag: -Wno-division-by-zero
//@ check -- 0: bug division-by-zero
//@ check -- 1: bug division-by-zero
//@ check -- 2: bug division-by-zero
//@ check -- 3: bug bad-shift message="shift of a value of 32 bits by 32"
//@ check -- 4: bug bad-shift message="shift of a value of 64 bits by -1"
//@ check -- 5: bug overflow message="-2147483648 divided by -1 does not fit in int"
//@ check -- 6: bug undefined-behaviour message="10000000000.0 does not fit in int"
//@ check -- 7: safe
//@ check --overflow -- 8: bug overflow message="2147483647 + 1"
//@ check -- 8: safe
//@ check --undefined -- 3: bug bad-shift message="shift of a value of 32 bits by 32"
//@ check --undefined -- 0: bug division-by-zero
#include <limits.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int kind = atoi(argv[1]);
    switch (kind) {
    case 0: return 94 / 0;
    case 1: {
        const int zero = 0;
        int x = 5 % zero;
        return x;
    }
    case 2: return argc > 0 && 7u / 0u;
    case 3: return 1 << 32;
    case 4: return (int)(1L << -1);
    case 5: return INT_MIN / -1;
    case 6: return (int)1e10;
    case 7: return kind == 7 ? 0 : 3 / 0;
    default: return INT_MAX + 1 != INT_MIN;
    }
}
