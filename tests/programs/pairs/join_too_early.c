// Another thread creates the worker. Whoever joins it before its handle is there joins nobody.
//@ check --races ignore: bug assertion
//@ check --races ignore --facts on: bug assertion
#include <assert.h>
#include <pthread.h>

pthread_t worker;
int x;

void *work(void *unused) {
    x = 1;
    return unused;
}

void *starts(void *unused) {
    pthread_t created;
    pthread_create(&created, NULL, work, NULL);
    worker = created;
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, starts, NULL);
    pthread_join(worker, NULL);
    assert(x == 1); //~ BUG assertion
    pthread_join(t, NULL);
}
