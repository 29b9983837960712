// A local variable that was never set decides something: gordian gives it some value and says that it cannot know. Each
// case is a program of its own, chosen by an argument.
//@ check -- 0: inconclusive message="decides a branch"
//@ check -- 1: inconclusive message="decides a branch"
//@ check -- 2: inconclusive message="decides a branch"
//@ check -- 3: inconclusive message="decides a branch"
//@ check -- 4: inconclusive message="decides what is accessed"
//@ check -- 5: inconclusive message="is a divisor"
//@ check -- 6: inconclusive message="is an argument"
//@ check -- 7: inconclusive message="decides a branch"
//@ check -- 8: inconclusive message="decides a branch"
//@ check -- 9: inconclusive message="decides a branch"
// Nothing is decided by what was never set.
//@ check -- 20: safe
//@ check -- 21: safe
//@ check -- 22: safe
//@ check -- 23: safe
//@ check -- 24: safe
//@ cflag: -w
#include <stdio.h>
#include <stdlib.h>

static int plus_one(int n) {
    return n + 1;
}

static int positive(int n) {
    if (n > 0)
        return 1;
    return 0;
}

static int sometimes(int n) {
    if (n > 100)
        return 1;
}

struct small {
    int a;
    char b;
};

static int first(struct small s) {
    return s.a;
}

static struct small half(int a) {
    struct small s;
    s.a = a;
    return s;
}

struct bits {
    unsigned a : 3, b : 5;
};

int main(int argc, char **argv) {
    int x, y = 3;
    switch (atoi(argv[1])) {
    case 0:
        if (x)
            y = 4;
        return 0;
    case 1:
        y = (x + 2) * 3;
        while (y > 3)
            y = 0;
        return 0;
    case 2:
        if (plus_one(x) > 5)
            y = 4;
        return 0;
    case 3: return positive(x);
    case 4: {
        int a[4] = {0};
        return a[x & 3];
    }
    case 5: return 0 / (x | 2);
    case 6: printf("%d\n", x); return 0;
    case 7:
        if (argc > 100)
            x = 2;
        if (x > 0)
            y = 4;
        return 0;
    case 8:
        if (sometimes(argc))
            y = 4;
        return 0;
    case 9:
        switch (x) {
        case 7: return 0;
        default: return 0;
        }
    case 20: {
        int z;
        for (int i = 0; i < 3; i++) {
            if (i > 0 && z != i - 1)
                return 1;
            z = i;
        }
        return 0;
    }
    case 21: sometimes(argc); return 0;
    case 22: return first(half(argc)) != argc;
    case 23: {
        struct bits b;
        b.a = 5;
        return b.a != 5;
    }
    default:
        if (argc > 1)
            x = 7;
        y = x;
        return y != 7;
    }
}
