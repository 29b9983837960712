// Floating-point numbers are read as one value of many, which the verdict must say: never `safe`.
//@ check --sym-stdin 2: bounded
#include <stdio.h>

int main(void)
{
    double x;
    return scanf("%lf", &x) == 1 && x > 5;
}
