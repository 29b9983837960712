// The copy reads first and writes then. It fails because of where it writes, which has nothing to do with what it reads.
//@ check --races ignore: bug assertion,use-after-free
//@ check --races ignore --strategy dpor-classic: bug assertion,use-after-free
//@ check --races ignore --strategy exhaustive: bug assertion,use-after-free
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static char source[16];
static int n = 16;
static atomic_int flag;
static void *copy(void *target) {
    memcpy(target, source, n); //~ BUG use-after-free
    assert(flag); //~ BUG assertion
    return 0;
}
int main(void) {
    char *target = malloc(16);
    pthread_t t;
    pthread_create(&t, 0, copy, target);
    free(target);
    flag = 1;
    pthread_join(t, 0);
}
