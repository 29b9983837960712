// Inputs decide whether an atomic section writes x or y, unless the limit was lifted: then it writes x. When the other thread has looked
// at y, the section that writes y must be explored again before the limit is lifted, although after that it writes x only, and to write x
// before was explored. Traces: the section writes x before the limit is lifted (1) or after (1), which has nothing to do with y; it writes
// y before the other thread looks (1) or after, and then before the limit is lifted (1). Schedules, which `classes` executes: the section
// in 2 variants before each of the two steps of the other thread, and in one behind them.
//@ check: safe executions=4 blocked=0
//@ check --strategy dpor-classic: safe executions=4
//@ check --strategy classes: safe executions=5 blocked=0
#include <pthread.h>
#include <stdatomic.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static atomic_int x, y, limit = 10;
static int n;

static void *writes(void *arg)
{
    __VERIFIER_atomic_begin();
    if (n < limit)
        x = 1;
    else
        y = 1;
    __VERIFIER_atomic_end();
    return arg;
}

static void *lifts(void *arg)
{
    (void)atomic_load(&y);
    limit = 256;
    return arg;
}

int main(void)
{
    pthread_t first, second;
    n = __VERIFIER_nondet_uchar();
    pthread_create(&first, NULL, writes, NULL);
    pthread_create(&second, NULL, lifts, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
