// Threads that make operations drawn with a seed: they read and write a few variables, and lock. What a thread does does not depend on what it reads. There is no formula for the counts: `dpor` finds
// 18 traces. As parts of the program are independent there are fewer tests than traces; read arcs and states leave fewer still.
//@ check --races ignore: safe executions=18
//@ check --races ignore --strategy unfold: safe executions=12
//@ check --races ignore --strategy contextual: safe executions=9
//@ check --races ignore --strategy stateful: safe
//@ check --races ignore --strategy stateful-naive: safe
#include <pthread.h>

#ifndef SEED
#define SEED 8
#endif
#ifndef OPERATIONS
#define OPERATIONS 4
#endif
#ifndef N
#define N 4
#endif
#define VARIABLES 8

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int shared[VARIABLES], own[N];

static void *thread(void *arg)
{
    long me = (long)arg;
    unsigned state = SEED * 7919u + (unsigned)me * 104729u;
    for (int n = 0; n < OPERATIONS; n++) {
        state = state * 1103515245u + 12345u;
        unsigned operation = state >> 16 & 3, where = (state >> 20) % VARIABLES;
        if (operation == 0) {
            shared[where] = (int)me;
        } else if (operation == 1) {
            pthread_mutex_lock(&locks[where % 2]);
            own[me] = n;
            pthread_mutex_unlock(&locks[where % 2]);
        } else {
            own[me] = shared[where];
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
