// A conversion %n writes through an argument of snprintf.
//@ check --races ignore: bug assertion
//@ check --races ignore --facts on: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int n;
static void *run(void *arg) {
    assert(n == 0); //~ BUG assertion
    return arg;
}
int main(void) {
    pthread_t t;
    char text[16];
    pthread_create(&t, NULL, run, NULL);
    snprintf(text, sizeof text, "abc%n", &n);
    pthread_join(t, NULL);
}
