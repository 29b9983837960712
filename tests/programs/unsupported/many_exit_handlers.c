// There is room for 256 exit handlers; the C library has no limit.
//@ check: inconclusive message="more than 256 exit handlers"
#include <assert.h>
#include <stdlib.h>

static void handler(void) {}

int main(void) {
    for (int n = 0; n < 300; n++) assert(atexit(handler) == 0);
    return 0;
}
