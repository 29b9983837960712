// Loops without a loop statement: backward `goto`, a cycle that is entered in two places, a switch that jumps to its own head, and computed
// `goto`. Each goes back three times.
//@ check --unroll 3: safe executions=1
//@ check --unroll 2 --cflag=-DPLAIN: inconclusive
//@ check --unroll 2 --cflag=-DTWO_ENTRIES: inconclusive
//@ check --unroll 2 --cflag=-DSWITCH: inconclusive
//@ check --unroll 2 --cflag=-DCOMPUTED: inconclusive
//@ check --unroll 3 --cflag=-DENDLESS: inconclusive
#include <assert.h>

#if !defined PLAIN && !defined TWO_ENTRIES && !defined SWITCH && !defined COMPUTED && !defined ENDLESS
#define ALL
#endif

static int entered_twice(int second)
{
    int n = 0;
    if (second)
        goto two;
one:
    n++;
two:
    n++;
    if (n < 7)
        goto one;
    return n;
}

static int by_switch(void)
{
    int n = 0;
again:
    switch (n) {
    case 3:
        return n;
    case 0:
    default:
        n++;
        goto again;
    }
}

static int computed(void)
{
    static void *const next[] = {&&more, &&more, &&more, &&done};
    int n = 0;
    goto *next[n];
more:
    n++;
    goto *next[n];
done:
    return n;
}

int main(int argc, char **argv)
{
    (void)argv;
#if defined ALL || defined PLAIN
    int n = 0;
back:
    if (n++ < 3)
        goto back;
    assert(n == 4);
#endif
#if defined ALL || defined TWO_ENTRIES
    assert(entered_twice(0) == 8 && entered_twice(argc) == 7);
#endif
#if defined ALL || defined SWITCH
    assert(by_switch() == 3);
#endif
#if defined ALL || defined COMPUTED
    assert(computed() == 3);
#endif
#ifdef ENDLESS
    for (;;) {
    }
#endif
    return 0;
}
