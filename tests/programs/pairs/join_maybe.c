// The value that is joined is the handle of the thread, or none: then nobody is waited for.
//@ check --races ignore: bug assertion
//@ check --races ignore --facts on: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int is_known;
int x;

void *tells(void *unused) {
    is_known = 1;
    return unused;
}

void *work(void *unused) {
    x = 1;
    return unused;
}

int main(void) {
    pthread_t t, worker, joined = 0;
    pthread_create(&t, NULL, tells, NULL);
    pthread_create(&worker, NULL, work, NULL);
    if (is_known)
        joined = worker;
    pthread_join(joined, NULL);
    assert(x == 1); //~ BUG assertion
    pthread_join(t, NULL);
}
