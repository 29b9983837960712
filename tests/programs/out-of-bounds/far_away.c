// Pointers that are moved so far that they would name another object. What is accessed right away is a finding, what else is done with such a
// pointer is not followed.
//@ check -- 0: bug out-of-bounds message="an access at offset 1073741824 of a, which has 16 bytes"
//@ check -- 1: bug out-of-bounds message="an access at offset -1073741824 of b, which has 16 bytes"
//@ check -- 2: bug out-of-bounds
//@ check -- 3: inconclusive message="address 1073741824 bytes away from its object"
//@ check -- 4: bug out-of-bounds
//@ check -- 5: inconclusive message="a pointer to x that is moved"
//@ check -- 6: bug out-of-bounds
// What is no pointer to an object may be moved anywhere, and a pointer may be a little beside its object.
//@ check -- 20: safe
//@ check -- 21: safe
//@ cflag: -w
#include <stdint.h>
#include <stdlib.h>

struct big {
    char bytes[1 << 20];
};

int a[4], b[4];
char x[8], y[8];

int main(int argc, char **argv) {
    long far = 1L << 28;
    b[0] = y[0] = 7;
    switch (atoi(argv[1])) {
    case 0: return a[far];
    case 1: b[-far] = 1; return 0;
    case 2: {
        int *p = a;
        p += 1 << 28;
        return *p;
    }
    case 3: return a[1 << 28];
    case 4: {
        char *p = malloc(16), *q = malloc(16);
        *q = 1;
        return p[1 << 30];
    }
    case 5: {
        struct big *p = (struct big *)x;
        for (int i = 0; i < 1024; i++)
            p++;
        return *(char *)p;
    }
    case 6: {
        struct big *p = (struct big *)x;
        return p[1024].bytes[0];
    }
    case 20: {
        char *nothing = NULL;
        return *(int *)(nothing + (uintptr_t)&b[0]) != 7;
    }
    case 21: {
        int *before = a - 1000, *behind = a + 1000000;
        return before[1000] + behind[-1000000];
    }
    }
    return 3;
}
