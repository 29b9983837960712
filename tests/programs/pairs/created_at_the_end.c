// What a thread creates at its end still runs when that thread has been joined.
//@ check --races ignore: bug assertion
//@ check --races ignore --facts on: bug assertion
#include <assert.h>
#include <pthread.h>
static pthread_key_t key;
static int x;
static void *late(void *arg) { x = 1; return arg; }
static void at_end(void *value) {
    pthread_t t;
    pthread_create(&t, NULL, late, NULL);
    pthread_detach(t);
}
static void *run(void *arg) { pthread_setspecific(key, &x); return arg; }
int main(void) {
    pthread_t t;
    pthread_key_create(&key, at_end);
    pthread_create(&t, NULL, run, NULL);
    pthread_join(t, NULL);
    assert(x == 0); //~ BUG assertion
}
