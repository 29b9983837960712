// Both threads go both ways, and the lock makes every order safe: 4 pairs of ways, each with 2 orders of the critical sections.
//@ check: safe executions=8 blocked=0
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static int total, sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        n = -1;
    else
        n = 1;
    pthread_mutex_lock(&lock);
    total += n;
    sum += n * n;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(sum == 2 && total >= -2 && total <= 2 && total % 2 == 0);
    return 0;
}
