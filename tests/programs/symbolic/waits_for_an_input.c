// The second thread waits until the first writes something other than zero, which is up to the input: it waits forever if that
// is zero, and goes on for all other values, whatever the value at hand was when it began to wait.
//@ check: bug livelock
#include <pthread.h>
#include <stdatomic.h>
extern int __VERIFIER_nondet_int(void);
static atomic_int flag;

static void *raise(void *arg)
{
    flag = __VERIFIER_nondet_int();
    return arg;
}

static void *wait(void *arg)
{
    while (!flag) { //~ BUG livelock
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, raise, 0);
    pthread_create(&b, 0, wait, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
