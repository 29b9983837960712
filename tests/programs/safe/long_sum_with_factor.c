// A sum of many inputs, times a constant, compared with another.
//@ check: safe
#include <gordian.h>
int main(void) {
    unsigned sum = 0;
    for (int i = 0; i < 13; i++)
        sum += gordian_uint("x");
    return sum * 3 == gordian_uint("y");
}
