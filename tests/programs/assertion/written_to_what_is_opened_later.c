// Nothing is ever closed, but a descriptor comes to be while the other thread runs.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy dpor-classic: bug assertion
//@ check --races ignore --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int other;
static void *print(void *arg) {
    int seen = other;
    (void)seen;
    assert(write(3, "x", 1) == 1); //~ BUG assertion
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, print, 0);
    dup(1);
    pthread_join(t, 0);
}
