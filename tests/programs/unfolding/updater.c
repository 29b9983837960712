// Three threads that update a value under a lock: each adds to it, and sets it anew in one of its rounds. With ROUNDS sections each there are (3 * ROUNDS)! / ROUNDS!^3 orders: 6! / 2!^3 = 90 here,
// 12! / 4!^3 = 34,650 with four. A value that is set anew does not tell what was added before, so fewer states than orders are reached.
//@ check --races ignore: safe executions=90
//@ check --races ignore --strategy unfold: safe executions=90
//@ check --races ignore --strategy contextual: safe executions=90
//@ check --races ignore --strategy stateful: safe
//@ check --races ignore --strategy stateful-naive: safe
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef SETS
#define SETS 1
#endif
#define N 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *updater(void *arg)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&lock);
        value = (round == SETS ? 0 : value) + 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, updater, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
