// What stands behind a `va_list` is touched by the call, too, also if it was freed before the call is reached.
//@ check --races ignore: bug assertion,use-after-free
//@ check --races ignore --strategy dpor-classic: bug assertion,use-after-free
//@ check --races ignore --strategy exhaustive: bug assertion,use-after-free
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static atomic_int flag, other;
static void print(char *target, const char *form, ...) {
    va_list list;
    va_start(list, form);
    vsprintf(target, form, list); //~ BUG use-after-free
    va_end(list);
}
static void *use(void *text) {
    char copy[8];
    int seen = other;
    (void)seen;
    print(copy, "%s", (char *)text);
    assert(flag); //~ BUG assertion
    return 0;
}
int main(void) {
    char *text = malloc(8);
    strcpy(text, "abc");
    pthread_t t;
    pthread_create(&t, 0, use, text);
    free(text);
    flag = 1;
    pthread_join(t, 0);
}
