// A lock whose bytes are cleared while it is held is free. The list of pairs takes locks to be used as such; static facts do without them here.
//@ check --facts on --races ignore: bug assertion
//@ check --races ignore: bug assertion
#include <assert.h>
#include <pthread.h>
#include <string.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, inside;

void *run(void *unused) {
    pthread_mutex_lock(&m);
    memset(&m, 0, sizeof m);
    x = 1;
    inside = x;
    x = 0;
    assert(inside == 1); //~ BUG assertion
    return unused;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, run, NULL);
    pthread_create(&t2, NULL, run, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
}
