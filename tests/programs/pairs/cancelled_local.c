// The local variables of a thread end where it is cancelled.
//@ check --races ignore: bug use-after-free
//@ check --races ignore --facts on: bug use-after-free
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static int *_Atomic shared;
static atomic_int seen;
static void *owner(void *arg) {
    int local = 1;
    shared = &local;
    for (;;) pthread_testcancel();
    return arg;
}
static void *reader(void *arg) {
    int *p = shared;
    if (p) seen = *p; //~ BUG use-after-free
    return arg;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, owner, NULL);
    pthread_create(&u, NULL, reader, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}
