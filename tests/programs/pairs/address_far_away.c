// An address and five gigabytes is a constant that the compiler works out. It would be the address of another variable, so nothing is claimed of such a program.
//@ check: bug data-race
//@ check --facts on: bug data-race message="nothing was proved of this program"
#include <pthread.h>
#include <stdint.h>

static int x;
static uintptr_t kept;

static void *follows(void *unused) {
    *(int *)(kept - 5368709120ul) = 1; //~ BUG data-race
    return unused;
}

static void *writes(void *unused) {
    x = 2; //~ BUG data-race
    return unused;
}

int main(void) {
    pthread_t t, u;
    kept = (uintptr_t)&x + 5368709120ul;
    pthread_create(&t, NULL, follows, NULL);
    pthread_create(&u, NULL, writes, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
