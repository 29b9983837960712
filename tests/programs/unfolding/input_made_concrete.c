// A comparison of floating-point numbers gives the input one value of many, so no strategy may call the program safe.
//@ check --strategy unfold: bounded
//@ check --strategy contextual: bounded
//@ check: bounded
//@ check --fixed-inputs --strategy unfold: bounded
#include <assert.h>
#include <gordian.h>

int main(void) {
    unsigned char x = gordian_uchar("x");
    double wide = x;
    if (wide > 200.5)
        assert(x != 230);
    return 0;
}
