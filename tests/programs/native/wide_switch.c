// A switch over 128 bits.
//@ native
#include <stdio.h>

static int classify(__int128 n) {
    switch (n) {
    case 3: return 1;
    case ((__int128)1 << 70) + 3: return 2;
    case -1: return 3;
    case ((__int128)1 << 100) ... ((__int128)1 << 100) + 5: return 4;
    default: return 5;
    }
}

int main(void) {
    __int128 one = 1;
    __int128 numbers[] = {3, (one << 70) + 3, -1, (one << 100) + 4, (one << 64) + 3, ~0ul, 0};
    for (int i = 0; i < 7; i++)
        printf("%d\n", classify(numbers[i]));
    return 0;
}
