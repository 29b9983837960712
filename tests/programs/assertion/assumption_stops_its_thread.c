// A false assumption stops its own thread and nobody else: the lock is free again, n stays 1, and the other thread sees it. Two
// traces, one for each order of the critical sections; in the one that begins with `blocked` the assertion fails.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
//@ check --strategy bounded --preemptions 1: bug assertion
//@ check --strategy random --runs 100: bug assertion
//@ check --strategy interference: bug assertion
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int condition);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *blocked(void *arg)
{
    pthread_mutex_lock(&lock);
    n = 1;
    pthread_mutex_unlock(&lock);
    __VERIFIER_assume(0);
    return arg;
}

static void *looks(void *arg)
{
    pthread_mutex_lock(&lock);
    assert(n == 0); //~ BUG assertion
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, blocked, 0);
    pthread_create(&b, 0, looks, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
