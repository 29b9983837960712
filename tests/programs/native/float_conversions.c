// Numbers that do not fit into the integers they are converted to: as the hardware has it.
//@ native
#include <stdio.h>

int main(void) {
    volatile double numbers[] = {3e9, -3e9, 1e20, -1e20, -1.0, 300.7, -300.7, 70000.0, 1e10, 1.9e19, 5e18, 0.0 / 0.0, 1.0 / 0.0};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double x = numbers[i];
        volatile float f = (float)x;
        printf("%d %u %ld %lu %d %d %d %d | %d %u %ld %lu %d %d\n", (int)x, (unsigned)x, (long)x, (unsigned long)x, (short)x,
               (unsigned short)x, (signed char)x, (unsigned char)x, (int)f, (unsigned)f, (long)f, (unsigned long)f, (short)f,
               (unsigned char)f);
    }
    return 0;
}
