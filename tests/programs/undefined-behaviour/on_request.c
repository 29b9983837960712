// What C leaves undefined and the machine gives a value like the hardware's, until somebody asks. Each case is a program of
// its own, chosen by an argument.
//@ check --undefined -- 0: bug undefined-behaviour message="3000000000.0 does not fit in int"
//@ check --undefined -- 1: bug undefined-behaviour message="zero has no first bit"
//@ check --undefined -- 2: bug undefined-behaviour message="int needs an address that is a multiple of 4"
//@ check --undefined -- 3: bug out-of-bounds message="index 3 is outside int[3]"
//@ check --undefined -- 4: bug undefined-behaviour message="7 is no value of _Bool"
//@ check --undefined -- 5: bug undefined-behaviour message="an array of -1 elements"
//@ check --undefined -- 6: bug undefined-behaviour message="shifted left by 31 does not fit in int"
//@ check --undefined -- 7: bug abort
//@ check --undefined -- 8: safe
//@ check -- 0: safe
//@ check -- 1: safe
//@ check -- 2: safe
//@ check -- 3: safe
//@ check -- 4: safe
//@ check -- 6: safe
//@ check -- 8: safe
#include <stdlib.h>
#include <string.h>

static int row(int m[2][3], int i) {
    return m[0][i];
}

int main(int argc, char **argv) {
    volatile double big = 3e9;
    volatile int zero = 0, one = 1;
    switch (atoi(argv[1])) {
    case 0: return (int)big == 0;
    case 1: return __builtin_clz(zero) == 0;
    case 2: {
        char bytes[8] = {0};
        int *p = (int *)(bytes + one);
        return *p;
    }
    case 3: {
        int m[2][3] = {{0}};
        return row(m, one + 2);
    }
    case 4: {
        unsigned char byte = 7;
        _Bool b;
        memcpy(&b, &byte, 1);
        return b == 2;
    }
    case 5: {
        int a[zero - one];
        a[0] = 0;
        return 0;
    }
    case 6: return one + 1 << 30 + one == 0;
    case 7:
        if (one)
            __builtin_unreachable();
        return 0;
    default: {
        int m[2][3] = {{0}};
        return (int)(big / 2) == 0 || __builtin_clz(one) != 31 || row(m, 2) || argc == 0;
    }
    }
}
