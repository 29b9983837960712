// `dup` opens the lowest number that is closed, which the other thread writes to. Orders: it writes before, and is told that nothing is open, or after.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy dpor-classic: bug assertion
//@ check --races ignore --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static void *print(void *arg) {
    assert(write(1, "x", 1) == 1); //~ BUG assertion
    return arg;
}
int main(void) {
    pthread_t t;
    int other = dup(1);
    close(1);
    pthread_create(&t, 0, print, 0);
    dup(other);
    pthread_join(t, 0);
}
