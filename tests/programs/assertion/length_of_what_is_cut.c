// A string that was cut may have been longer at another time, and another thread may have cut it later on.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static char from[64] = "abcdefghijklmnopqrstuvwxyz";
static void *cut(void *a) { from[0] = 0; return a; }
static void *cut_later(void *a) { from[16] = 0; return a; }
static void *print(void *a) { char own[32]; return (void *)(long)snprintf(own, 32, "%s", from); }
int main(void) {
    pthread_t t[3];
    void *n;
    pthread_create(&t[0], 0, cut, 0);
    pthread_create(&t[1], 0, cut_later, 0);
    pthread_create(&t[2], 0, print, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    pthread_join(t[2], &n);
    assert((long)n != 16);
}
