// A thread creates one of its own kind, and so does that: each of them runs beside the next.
//@ check --races ignore: bug assertion
//@ check --races ignore --facts on: bug assertion
#include <assert.h>
#include <pthread.h>
static int x;
static void *run(void *arg) {
    long depth = (long)arg;
    pthread_t t;
    if (depth > 0)
        pthread_create(&t, NULL, run, (void *)(depth - 1));
    x = (int)depth;
    if (depth > 0)
        pthread_join(t, NULL);
    return NULL;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, run, (void *)3);
    pthread_join(t, NULL);
    assert(x == 0); //~ BUG assertion
}
