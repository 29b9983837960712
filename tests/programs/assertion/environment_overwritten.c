// `getenv` reads the strings of the environment, one of which another thread changes.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy exhaustive: bug assertion
//@ check --races ignore --strategy unfold: bug assertion
//@ check: bug assertion,data-race
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static char text[] = "K=1";

static void *renames(void *argument) {
    text[0] = 'J';
    return argument;
}

int main(void) {
    putenv(text);
    pthread_t thread;
    pthread_create(&thread, 0, renames, 0);
    assert(getenv("K")); //~ BUG assertion
    pthread_join(thread, 0);
}
