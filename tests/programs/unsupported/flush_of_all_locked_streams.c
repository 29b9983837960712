// `fflush(NULL)` takes the locks of all streams one after the other, which is not modelled where the program locks streams itself.
//@ check: inconclusive message="fflush(NULL)"
//@ check --strategy exhaustive: inconclusive message="fflush(NULL)"
#include <pthread.h>
#include <stdio.h>
static FILE *stream;
static void *locker(void *unused) {
    flockfile(stream);
    return NULL;
}
int main(void) {
    pthread_t thread;
    stream = tmpfile();
    pthread_create(&thread, NULL, locker, NULL);
    pthread_join(thread, NULL);
    fflush(NULL);
    return 0;
}
