// The new thread may look at its handle before its creator has written it.
//@ check: bug data-race
//@ check --facts on: bug data-race
#include <assert.h>
#include <pthread.h>

static pthread_t thread;

static void *looks(void *argument) {
    assert(thread != 0); //~ BUG data-race
    return argument;
}

int main(void) {
    pthread_create(&thread, 0, looks, 0);
    pthread_join(thread, 0);
}
