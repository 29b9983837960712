// An access outside of an object that another thread frees: how it fails is a matter of the schedule.
//@ check --races ignore: bug use-after-free,out-of-bounds
//@ check --races ignore --strategy exhaustive: bug use-after-free,out-of-bounds
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int a;
static int *p;

static void *frees(void *argument) {
    free(p);
    return argument;
}

int main(void) {
    p = malloc(8);
    int *q = p;
    pthread_t thread;
    pthread_create(&thread, 0, frees, 0);
    a = 1;
    q[5] = 1; //~ BUG use-after-free
    pthread_join(thread, 0);
}
