// `warnx` locks stderr while it writes, as other calls lock their streams.
//@ check: bug deadlock
//@ check --strategy exhaustive: bug deadlock
#include <err.h>
#include <pthread.h>
#include <stdio.h>
static void *locker(void *unused) {
    flockfile(stderr);
    return NULL;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, locker, NULL);
    pthread_join(thread, NULL);
    warnx("here"); //~ BUG deadlock
    return 0;
}
