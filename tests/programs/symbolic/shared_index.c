// Others see which place it is, so each of the four is an execution of its own. The second thread reads place 2: that one is
// in conflict and comes in two orders. 3 + 2.
//@ check --races ignore: safe executions=5 blocked=0
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);
static int table[4], seen;

static void *writer(void *arg)
{
    table[__VERIFIER_nondet_uint() & 3] = 1;
    return arg;
}

static void *reader(void *arg)
{
    seen = table[2];
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
