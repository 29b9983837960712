// Both threads decide by the same input, so they go the same way, whoever comes first: 2 executions, none in vain.
//@ check: safe executions=2 blocked=0
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static int input, ways[2];

static void *decide(void *arg)
{
    int *way = arg;
    if (input > 1000)
        *way = 1;
    else
        *way = 2;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    input = __VERIFIER_nondet_int();
    pthread_create(&a, 0, decide, &ways[0]);
    pthread_create(&b, 0, decide, &ways[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(ways[0] == ways[1]);
    return 0;
}
