// The call names one of the two objects that it touches before it is made. It fails because of the other one, which must be seen, too: otherwise the orders
// in which it does not fail are never tried.
//@ check --races ignore: bug assertion,use-after-free
//@ check --races ignore --strategy dpor-classic: bug assertion,use-after-free
//@ check --races ignore --strategy exhaustive: bug assertion,use-after-free
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char copy[8];
static atomic_int flag;
static void *print(void *text) {
    sprintf(copy, "%s", (char *)text); //~ BUG use-after-free
    assert(flag); //~ BUG assertion
    return 0;
}
int main(void) {
    char *text = malloc(8);
    strcpy(text, "abc");
    pthread_t t;
    pthread_create(&t, 0, print, text);
    free(text);
    flag = 1;
    pthread_join(t, 0);
}
