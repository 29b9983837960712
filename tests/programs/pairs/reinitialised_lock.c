// A lock that is initialised while it is held is free.
//@ check: bug data-race
//@ check --facts on: bug data-race
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void __attribute__((noinline)) begin(void) { pthread_mutex_init(&m, NULL); }

void *run(void *unused) {
    pthread_mutex_lock(&m);
    begin();
    x++; //~ BUG data-race
    return unused;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, run, NULL);
    pthread_create(&t2, NULL, run, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
}
