// A pointer that is kept as the distance from its own place, as in memory that is mapped at different addresses: what it leads to is another object.
//@ check: bug data-race
//@ check --facts on: bug data-race
#include <pthread.h>
#include <stdint.h>

static long distance;
static int target;

static void *follow(void *unused) {
    int *found = (int *)((uintptr_t)&distance + distance);
    *found = 1; //~ BUG data-race
    return unused;
}

static void keep(long *place, int *to) {
    *place = (uintptr_t)to - (uintptr_t)place;
}

int main(int argc, char **argv) {
    pthread_t t;
    keep(argc > 1 ? (long *)argv : &distance, &target);
    pthread_create(&t, NULL, follow, NULL);
    target = 2; //~ BUG data-race
    pthread_join(t, NULL);
    return 0;
}
