// The call fails because the struct that it passes is not there. That is a step of its own behind the write, and the call has not begun by then.
//@ check: bug null-dereference
//@ check --strategy exhaustive: bug null-dereference
#include <pthread.h>
#include <stdatomic.h>

struct big { long v[5]; };
static atomic_int b;

static void takes_more(int n, ...) {
    (void)n;
    b = 1;
}

static void *passes(void *x) {
    b = 2;
    takes_more(1, *(struct big *)x); //~ BUG null-dereference
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, passes, 0);
    b = 3;
    pthread_join(thread, 0);
}
