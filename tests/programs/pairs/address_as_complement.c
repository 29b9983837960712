// The complement of an address is a constant that the compiler works out. It is the address of nothing, so no analysis recognises it, and nothing is claimed of such a program.
//@ check: bug data-race
//@ check --facts on: bug data-race message="nothing was proved of this program"
#include <pthread.h>
#include <stdint.h>

static int x;
static uintptr_t kept;

static void *follows(void *unused) {
    *(int *)(~kept) = 1; //~ BUG data-race
    return unused;
}

static void *writes(void *unused) {
    x = 2; //~ BUG data-race
    return unused;
}

int main(void) {
    pthread_t t, u;
    kept = ~(uintptr_t)&x;
    pthread_create(&t, NULL, follows, NULL);
    pthread_create(&u, NULL, writes, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
