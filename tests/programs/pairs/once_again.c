// A once control that is overwritten keeps nobody out.
//@ check --races ignore: bug assertion
//@ check --races ignore --facts on: bug assertion
#include <assert.h>
#include <pthread.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int x;
static void set(void) { x = 1; x = 0; assert(x == 0); } //~ BUG assertion
static void *run(void *arg) { pthread_once(&once, set); return arg; }
static void *again(void *arg) {
    once = (pthread_once_t)PTHREAD_ONCE_INIT;
    pthread_once(&once, set);
    return arg;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, run, NULL);
    pthread_create(&u, NULL, again, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}
