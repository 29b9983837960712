// Whether the scope of what is printed has ended is a matter of the schedule.
//@ check --races ignore: bug assertion,use-after-free
//@ check --races ignore --strategy dpor-classic: bug assertion,use-after-free
//@ check --races ignore --strategy exhaustive: bug assertion,use-after-free
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
static atomic_int flag, other;
static void *print(void *text) {
    char copy[8];
    int seen = other;
    (void)seen;
    sprintf(copy, "%s", (char *)text); //~ BUG use-after-free
    assert(flag); //~ BUG assertion
    return 0;
}
int main(void) {
    pthread_t t;
    {
        char text[8];
        strcpy(text, "abc");
        pthread_create(&t, 0, print, text);
    }
    flag = 1;
    pthread_join(t, 0);
}
