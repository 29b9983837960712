// An array of variable length ends with its block.
//@ check --races ignore: bug use-after-free
//@ check --races ignore --facts on: bug use-after-free
#include <pthread.h>
#include <stdatomic.h>
static int *_Atomic shared;
static int got;
static void *owner(void *arg) {
    for (int n = 1; n < 2; n++) {
        int local[n + (long)arg];
        local[0] = 1;
        shared = local;
    }
    atomic_store(&shared, (int *)0);
    return arg;
}
static void *reader(void *arg) {
    int *p = shared;
    if (p) got = *p; //~ BUG use-after-free
    return arg;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, owner, (void *)1);
    pthread_create(&u, NULL, reader, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}
