// A local variable that was never set is read through a pointer, and what is read decides something. Each case is a program of its own, chosen by an
// argument.
//@ check -- 0: inconclusive message="x is read before it was set"
//@ check -- 1: inconclusive message="x is read before it was set"
//@ check -- 2: inconclusive message="a[3] is read before it was set"
//@ check -- 3: inconclusive message="pair.second is read before it was set"
//@ check -- 4: inconclusive message="buffer[0] is read before it was set"
//@ check -- 5: inconclusive message="x is read before it was set"
//@ check -- 6: inconclusive message="copy.second is read before it was set"
//@ check -- 7: inconclusive message="x is read before it was set"
//@ check --uninit -- 0: bug uninitialised
// All that is read was set before, or decides nothing.
//@ check -- 20: safe
//@ check -- 21: safe
//@ check -- 22: safe
//@ check -- 23: safe
//@ check -- 24: safe
//@ check -- 25: safe
//@ check -- 26: safe
//@ cflag: -w
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct pair {
    char first;
    long second;
};

struct bits {
    unsigned low : 3, high : 5;
};

static int is_positive(int *p) {
    if (*p > 0)
        return 1;
    return 0;
}

static int get(int *p) {
    return *p;
}

static int add(int *sum, int *p) {
    *sum += *p;
    return 0;
}

static void set(int *p, int value) {
    *p = value;
}

static int sum_of(int *array, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += array[i];
    return sum;
}

static void swap(int *a, int *b) {
    int old = *a;
    *a = *b;
    *b = old;
}

static int is_second(struct pair *pair) {
    return pair->second ? 1 : 0;
}

static void init(struct pair *pair) {
    pair->first = 1;
    pair->second = 0;
}

int main(int argc, char **argv) {
    switch (atoi(argv[1])) {
    case 0: {
        int x;
        return is_positive(&x);
    }
    case 1: {
        int x, *p = &x;
        int n = get(p);
        return n ? 1 : 0;
    }
    case 2: {
        int a[4];
        for (int i = 0; i < 3; i++)
            a[i] = 0;
        return sum_of(a, 4);
    }
    case 3: {
        struct pair pair;
        pair.first = 1;
        return is_second(&pair);
    }
    case 4: {
        char buffer[8];
        return strlen(buffer);
    }
    case 5:
        for (int i = 0; i < 2; i++) {
            int x;
            if (i == 0)
                set(&x, 0);
            if (is_positive(&x))
                return 1;
        }
        return 0;
    case 6: {
        struct pair pair, copy;
        pair.first = 1;
        copy = pair;
        return is_second(&copy);
    }
    case 7: {
        int x, sum = 0;
        add(&sum, &x);
        return sum;
    }
    case 20: {
        int x;
        set(&x, 0);
        return is_positive(&x);
    }
    case 21: {
        int a[4];
        for (int i = 0; i < 4; i++)
            a[i] = 0;
        return sum_of(a, 4);
    }
    case 22: {
        struct pair pair, copy;
        init(&pair);
        memcpy(&copy, &pair, sizeof pair);
        return is_second(&copy);
    }
    case 23: {
        int x, y;
        swap(&x, &y);
        set(&x, 0);
        return is_positive(&x);
    }
    case 24: {
        struct bits bits;
        bits.low = 1;
        bits.high = 0;
        return bits.high;
    }
    case 25: {
        char buffer[8];
        struct timespec time;
        snprintf(buffer, sizeof buffer, "%d", 1234);
        clock_gettime(CLOCK_REALTIME, &time);
        return strlen(buffer) != 4 || time.tv_nsec < 0;
    }
    case 26: {
        int sum = 0;
        for (int i = 0; i < 1000; i++) {
            int a[3];
            a[i % 3] = i;
            sum |= a[i % 3] & 0;
            set(&a[0], 0);
            sum += a[0];
        }
        return sum;
    }
    }
    return 3;
}
