// The last thread to end ends the process, which runs the exit handlers. Which thread that is depends on the schedule, and gordian does not follow it.
//@ check: inconclusive message="exit handlers of a process that ends with its last thread"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int x;

static void handler(void) { assert(x == 0); }

static void *work(void *unused) {
    x = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    atexit(handler);
    pthread_create(&thread, NULL, work, NULL);
    pthread_exit(NULL);
}
