// What is printed to a stream comes in any order. That it fails is remembered by the stream, which another thread looks at.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy dpor-classic: bug assertion
//@ check --races ignore --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *print(void *arg) {
    printf("x\n");
    return arg;
}
int main(void) {
    pthread_t t;
    close(1);
    pthread_create(&t, 0, print, 0);
    assert(!ferror(stdout)); //~ BUG assertion
    pthread_join(t, 0);
}
