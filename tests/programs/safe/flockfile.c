// Who holds the lock of a stream keeps others from it, and is told of what they did before.
//@ check: safe
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int inside, total;
static void *writer(void *unused) {
    flockfile(stdout);
    assert(inside++ == 0);
    printf("first ");
    flockfile(stdout);
    puts("second");
    funlockfile(stdout);
    total++;
    inside--;
    funlockfile(stdout);
    return NULL;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(total == 2);
    return 0;
}
