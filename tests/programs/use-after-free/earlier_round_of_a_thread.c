// A thread uses a variable of the round that created it when the next round may have begun: the variable of that round is another one.
//@ check: bug use-after-free message="use of job after its scope has ended"
//@ check --strategy exhaustive: bug use-after-free
//@ check --strategy unfold: bug use-after-free
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;

static void *work(void *argument) {
    int *job = argument;
    done += *job; //~ BUG use-after-free
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        int job = 1;
        pthread_create(&threads[i], NULL, work, &job);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
