// A string that was given to putenv is a part of the environment, and getenv leads to it.
//@ check --races ignore: bug assertion
//@ check --races ignore --facts on: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static char text[] = "X=1";
static void *reader(void *arg) {
    char *p = getenv("X");
    assert(!p || p[0] == '1'); //~ BUG assertion
    return arg;
}
int main(void) {
    pthread_t u;
    putenv(text);
    pthread_create(&u, NULL, reader, NULL);
    text[2] = '2';
    pthread_join(u, NULL);
}
