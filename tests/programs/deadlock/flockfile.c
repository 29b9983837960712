// A thread ends with the lock of a stream: the next one that prints waits forever.
//@ check: bug deadlock
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>
#include <stdio.h>
static void *forgetful(void *unused) {
    flockfile(stdout);
    return NULL;
}
static void *printer(void *unused) {
    puts("hello"); //~ BUG deadlock
    return NULL;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, forgetful, NULL);
    pthread_create(&b, NULL, printer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
