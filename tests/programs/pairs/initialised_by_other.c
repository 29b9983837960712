// A lock that another thread initialises is free, and protects nothing.
//@ check --races ignore: bug assertion lock-misuse
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *run(void *arg) {
    pthread_mutex_lock(&m);
    x = 1;
    assert(x == 1); //~ BUG assertion
    pthread_mutex_unlock(&m); //~ BUG lock-misuse
    return arg;
}
static void *other(void *arg) {
    pthread_mutex_init(&m, NULL);
    pthread_mutex_lock(&m);
    x = 2;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, run, NULL);
    pthread_create(&u, NULL, other, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}
