// The base is a number, and the index is the pointer: as it is, or divided by the size of what it points to.
//@ check: bug data-race
//@ check --facts on: bug data-race
#include <pthread.h>
#include <stdint.h>

static uintptr_t whole, part;
static char *base = (char *)4;
static int pair[2];
static long one;

static void *follow(void *unused) {
    *(int *)(base + whole) = 1; //~ BUG data-race
    *((long *)0 + part) = 1;    //~ BUG data-race
    return unused;
}

int main(void) {
    pthread_t t;
    whole = (uintptr_t)pair;
    part = (uintptr_t)&one >> 3;
    pthread_create(&t, NULL, follow, NULL);
    pair[1] = 2; //~ BUG data-race
    one = 2;     //~ BUG data-race
    pthread_join(t, NULL);
    return 0;
}
