// Constant indices and sizes that lead out of a local variable. Each case is a program of its own, chosen by an argument.
//@ check -- 0: bug out-of-bounds message="at offset 16 of a"
//@ check -- 1: bug out-of-bounds message="64 bytes at offset 0 of d"
//@ check -- 2: bug out-of-bounds message="at offset -4 of a"
//@ check -- 3: bug out-of-bounds message="at offset 24 of m"
//@ check -- 4: bug out-of-bounds message="8 bytes at offset 0 of number"
//@ check -- 5: bug out-of-bounds message="of s, which has 8 bytes"
//@ check -- 6: bug out-of-bounds message="at offset 4 of x"
//@ check -- 7: bug out-of-bounds message="at offset 4 of x"
//@ check -- 8: bug out-of-bounds message="at offset 4 of s, which has 6 bytes"
//@ check -- 9: safe
#include <stdlib.h>
#include <string.h>

struct small {
    int a, b;
};
struct large {
    int a, b, c, d;
};

static void beyond(void) {
    int a[4];
    a[4] = 5;
}

static void filled_too_far(void) {
    char d[4];
    memset(d, 0, 64);
}

static int before(void) {
    int a[4] = {1, 2, 3, 4};
    return a[-1];
}

static int beyond_last_row(void) {
    int m[2][3] = {{1, 2, 3}, {4, 5, 6}};
    return m[1][3];
}

static long wider_than_it_is(void) {
    int number = 5;
    return *(long *)&number;
}

static int struct_copied_too_long(void) {
    struct small s = {1, 2};
    struct large l;
    memcpy(&l, &s, sizeof l);
    return l.d;
}

static void through_a_pointer(void) {
    int x = 1;
    int *p = &x;
    p[1] = 2;
}

static int of_two_pointers(int which) {
    int x = 1, y = 2;
    int *p = which ? &x : &y;
    int **pp = &p;
    return (*pp)[1];
}

static int half_outside(void) {
    short s[3] = {1, 2, 3};
    return *(int *)(s + 2);
}

static int inside(void) {
    int a[4] = {1, 2, 3, 4};
    int *end = a + 4;
    int m[2][3] = {{1, 2, 3}, {4, 5, 6}};
    struct large l = {1, 2, 3, 4}, k;
    memcpy(&k, &l, sizeof l);
    memset(&l, 0, sizeof l);
    return end[-1] + m[1][2] + k.d + l.a;
}

int main(int argc, char **argv) {
    switch (atoi(argv[1])) {
    case 0: beyond(); return 0;
    case 1: filled_too_far(); return 0;
    case 2: return before();
    case 3: return beyond_last_row();
    case 4: return wider_than_it_is() != 0;
    case 5: return struct_copied_too_long();
    case 6: through_a_pointer(); return 0;
    case 7: return of_two_pointers(argc);
    case 8: return half_outside();
    default: return inside() != 4 + 6 + 4;
    }
}
