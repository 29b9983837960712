// The input decides which variable the first thread writes. The second reads `x`: where the first writes it too there are two
// orders, where it writes `y` one. So 2 + 1 traces.
//@ check --races ignore: safe executions=3 blocked=0
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static int x, y, seen;

static void *writer(void *arg)
{
    if (__VERIFIER_nondet_int() > 100)
        x = 1;
    else
        y = 1;
    return arg;
}

static void *reader(void *arg)
{
    seen = x;
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
