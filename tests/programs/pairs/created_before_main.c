// A constructor creates the thread, so what `main` writes is written while there are threads: `limit` is no constant.
//@ check --races ignore: bug assertion
//@ check --races ignore --facts on: bug assertion
#include <assert.h>
#include <pthread.h>

int limit = 1;
pthread_t t;

void *run(void *unused) {
    assert(limit == 1); //~ BUG assertion
    return unused;
}

__attribute__((constructor)) static void begin(void) { pthread_create(&t, NULL, run, NULL); }

int main(void) {
    limit = 2;
    pthread_join(t, NULL);
}
