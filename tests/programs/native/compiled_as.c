// Which program is tested: the one that is compiled without optimisations, by the name that the compiler was given.
//@ native
#include <stdio.h>
#include <string.h>

static int folds(int n) {
    return __builtin_constant_p(n);
}

int main(void) {
#ifdef __OPTIMIZE__
    puts("optimised");
#endif
    printf("%d %d\n", __builtin_constant_p(3 + 4), folds(7));
    // The whole name, however the compiler was called.
    printf("%d\n", strchr(__FILE__, '/') != NULL);
    return 0;
}
