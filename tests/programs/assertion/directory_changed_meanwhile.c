// What `getcwd` gives depends on whether another thread has changed the directory.
//@ check: bug assertion
//@ check --strategy exhaustive: bug assertion
//@ check --strategy unfold: bug assertion
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static char name[200];

static void *asks(void *argument) {
    getcwd(name, sizeof name);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, asks, 0);
    chdir("/");
    pthread_join(thread, 0);
    assert(strlen(name) == 1); //~ BUG assertion
}
