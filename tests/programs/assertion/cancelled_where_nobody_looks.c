// Nobody sees what the thread writes, but it sees whether it was cancelled: the call is a step of its own. It comes before the cancellation or is cancelled.
//@ check: bug assertion
//@ check --strategy exhaustive: bug assertion
//@ check --strategy value-schedule: bug assertion
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static void handler(void *argument) {
    (void)argument;
    assert(0); //~ BUG assertion
}

static void *writer(void *argument) {
    pthread_cleanup_push(handler, NULL);
    write(1, "k ", 2);
    pthread_cleanup_pop(0);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    pthread_cancel(thread);
    return 0;
}
