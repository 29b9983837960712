// A section with a false assumption touches less than one that goes to its end, and keeps all others from going on. Executions to the
// end: the section comes before `z = 1`, and x is read before or after it. `dpor` once took the blocked section for independent of the
// read of x, never made it after that read, and so never saw what to reverse for the read to come first.
//@ check --races ignore: safe executions=2
//@ check --races ignore --strategy dpor-classic: safe executions=2
//@ check --races ignore --strategy classes: safe executions=3
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_assume(int condition), __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);

static atomic_int x, z;

static void *section(void *arg)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(z == 0);
    x++;
    __VERIFIER_atomic_end();
    return arg;
}

static void *blocks(void *arg)
{
    z = 1;
    return arg;
}

static void *reads(void *arg)
{
    int seen = x;
    return seen ? arg : 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, section, 0);
    pthread_create(&b, 0, blocks, 0);
    pthread_create(&c, 0, reads, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
