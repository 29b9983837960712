// Pointers to variables whose block has ended. Each case is a program of its own, chosen by an argument.
//@ check -- 0: bug use-after-free message="use of x after its scope has ended"
//@ check -- 1: bug use-after-free message="use of x after its scope has ended"
//@ check -- 2: bug use-after-free message="use of x after its scope has ended"
//@ check -- 3: bug use-after-free message="use of x after its scope has ended"
//@ check -- 4: safe
#include <stdlib.h>
#include <string.h>

struct holder {
    int *at;
};

static int read_after(void) {
    int *p;
    {
        int x = 5;
        p = &x;
    }
    return *p;
}

static void written_in_next_iteration(void) {
    int *last = NULL;
    for (int i = 0; i < 2; i++) {
        if (last)
            *last = 1;
        int x = i;
        last = &x;
    }
}

static int through_struct(void) {
    struct holder h;
    if (1) {
        int x = 5;
        h.at = &x;
    }
    return *h.at;
}

static int copied_after(void) {
    int *p, y;
    {
        int x = 5;
        p = &x;
    }
    memcpy(&y, p, sizeof y);
    return y;
}

static int within(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int x = i;
        int *p = &x;
        struct holder h = {p};
        sum += *h.at + *p;
    }
    return sum;
}

int main(int argc, char **argv) {
    switch (atoi(argv[1])) {
    case 0: return read_after();
    case 1: written_in_next_iteration(); return 0;
    case 2: return through_struct();
    case 3: return copied_after();
    default: return within() != 6;
    }
}
