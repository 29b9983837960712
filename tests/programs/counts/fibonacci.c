// Two threads add the other's number to their own while main looks at both: the Fibonacci benchmark. With four rounds each there are 19,605
// Mazurkiewicz traces, with five 218,243: the counts that other tools agree on.
//@ check --races ignore: safe executions=19605 blocked=0
//@ check --races ignore --cflag=-DROUNDS=5: safe executions=218243 blocked=0
//@ check --races ignore --cflag=-DROUNDS=1: safe executions=11 blocked=0
//@ check --races ignore --cflag=-DROUNDS=1 --strategy stateful: safe
//@ check --races ignore --cflag=-DROUNDS=1 --strategy stateful-naive: safe
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 4
#endif

void reach_error(void);

static int i = 1, j = 1;

static void *left(void *arg)
{
    for (int k = 0; k < ROUNDS; k++)
        i += j;
    return arg;
}

static void *right(void *arg)
{
    for (int k = 0; k < ROUNDS; k++)
        j += i;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    if (i > 144 || j > 144)
        reach_error();
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
