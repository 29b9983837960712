// How much is printed depends on what is read for it, so at another time the call touches something else.
//@ check --races ignore: bug assertion executions=3
//@ check --races ignore --strategy dpor-classic: bug assertion
//@ check --races ignore --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static char from[16] = "abcdefgh", to[16];
static void *cut(void *a) { from[0] = 0; return a; }
static void *look(void *a) { return (void *)(long)to[6]; }
static void *print(void *a) { sprintf(to, "%s", from); return a; }
int main(void) {
    pthread_t t[3];
    void *seen;
    pthread_create(&t[0], 0, cut, 0);
    pthread_create(&t[1], 0, look, 0);
    pthread_create(&t[2], 0, print, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], &seen);
    pthread_join(t[2], 0);
    assert(seen || to[6] == 0);
}
