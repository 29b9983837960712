// A stuck state in which a thread stands at a false assumption is blocked, whatever else is wrong with it: the thread may hold the
// lock that another wants, be waited for by one that joins it, be the one whom a loop waits for, or have memory that nobody frees.
// One trace for each place of `holds` among the critical sections of `wants`, and each is blocked.
//@ check --leaks: safe executions=0 blocked=2
//@ check --leaks --strategy dpor-classic: safe executions=0 blocked=2
//@ check --strategy exhaustive: safe
//@ check --strategy bounded --preemptions 2: safe
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern void __VERIFIER_assume(int condition);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;
static char *lost;

static void *holds(void *arg)
{
    pthread_mutex_lock(&lock);
    lost = malloc(8);
    __VERIFIER_assume(lost == NULL);
    flag = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *wants(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *waits(void *arg)
{
    while (!flag)
        ;
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, holds, 0);
    pthread_create(&b, 0, wants, 0);
    pthread_create(&c, 0, waits, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
