// The stack overflows behind a write that others see: a step of its own, in which the call has not begun.
//@ check: bug abort
#include <pthread.h>
#include <stdatomic.h>

static atomic_int b;

static int goes_down(int n) {
    if (n == 0) return 0;
    return 3 * goes_down(n - 1) ^ n; //~ BUG abort
}

static void *runs(void *x) {
    b = 2;
    goes_down(300000);
    return x;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, runs, 0);
    b = 3;
    pthread_join(thread, 0);
}
