// A thread uses a variable of the round that created it, and that round waits for it. Each round has a variable of its own.
// Thread by thread there is one order: the threads never run at the same time, and main only waits meanwhile.
//@ check: safe executions=1
//@ check --strategy exhaustive: safe
//@ check --strategy unfold: safe
//@ check --strategy interference: safe
//@ check --strategy bounded: safe
#include <assert.h>
#include <pthread.h>

static void *work(void *argument) {
    ++*(int *)argument;
    return NULL;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        int job = i;
        pthread_create(&thread, NULL, work, &job);
        pthread_join(thread, NULL);
        sum += job;
    }
    assert(sum == 6);
    return 0;
}
