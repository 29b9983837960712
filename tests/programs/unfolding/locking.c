// Threads that enter one critical section again and again, each for a variable of its own. N threads with ROUNDS sections each have
// (N * ROUNDS)! / ROUNDS!^N orders: 4! / 2!^2 = 6 here, 8! / 2!^4 = 2,520 for four threads. The lock is what it was when it is given back, so no order leads to
// another state.
//@ check --races ignore: safe executions=6
//@ check --races ignore --strategy unfold: safe executions=6
//@ check --races ignore --strategy stateful: safe
//@ check --races ignore --strategy stateful-naive: safe
#include <pthread.h>

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int own[N + 1];

static void *several(void *arg)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&lock);
        own[(long)arg] = round;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

#ifdef ONCE
static void *once(void *arg)
{
    pthread_mutex_lock(&lock);
    own[N] = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}
#endif

int main(void)
{
    pthread_t threads[N + 1];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, several, (void *)i);
#ifdef ONCE
    pthread_create(&threads[N], 0, once, 0);
    pthread_join(threads[N], 0);
#endif
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
