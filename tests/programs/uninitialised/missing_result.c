// A function that ends without a result: an error only if somebody uses the result.
//@ check --uninit -- 0: safe
//@ check --uninit -- 1: bug uninitialised message="the result of a function that returned none is used"
//@ check --uninit -- 2: bug uninitialised message="the result of a function that returned none is used"
//@ check --uninit -- 3: safe
//@ cflag: -w
#include <stdlib.h>

static int sometimes(int n) {
    if (n > 1)
        return 1;
}

int main(int argc, char **argv) {
    int kind = atoi(argv[1]);
    switch (kind) {
    case 0: sometimes(0); return 0;
    case 1: return sometimes(0) ? 0 : 0;
    case 2: {
        int kept = sometimes(0);
        return 0;
    }
    default: return sometimes(kind) != 1;
    }
}
