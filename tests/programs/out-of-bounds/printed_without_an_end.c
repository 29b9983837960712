// Another thread overwrites the end of the string. That the call fails is seen as a read of all of it.
//@ check --races ignore: bug assertion,out-of-bounds
//@ check --races ignore --strategy dpor-classic: bug assertion,out-of-bounds
//@ check --races ignore --strategy exhaustive: bug assertion,out-of-bounds
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char copy[8];
static atomic_int flag;
static void *print(void *text) {
    sprintf(copy, "%s", (char *)text); //~ BUG out-of-bounds
    assert(flag); //~ BUG assertion
    return 0;
}
int main(void) {
    char *text = malloc(2);
    strcpy(text, "a");
    pthread_t t;
    pthread_create(&t, 0, print, text);
    text[1] = 'b';
    flag = 1;
    pthread_join(t, 0);
}
