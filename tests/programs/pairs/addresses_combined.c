// Two addresses in one number, as in a list with one link for both directions. The compiler works it out, and nothing is claimed of such a program.
//@ check: bug data-race
//@ check --facts on: bug data-race message="nothing was proved of this program"
#include <pthread.h>
#include <stdint.h>

static int x, y;
static uintptr_t kept;

static void *follows(void *unused) {
    *(int *)(kept ^ (uintptr_t)&y) = 1; //~ BUG data-race
    return unused;
}

static void *writes(void *unused) {
    x = 2; //~ BUG data-race
    return unused;
}

int main(void) {
    pthread_t t, u;
    kept = (uintptr_t)&x ^ (uintptr_t)&y;
    pthread_create(&t, NULL, follows, NULL);
    pthread_create(&u, NULL, writes, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
