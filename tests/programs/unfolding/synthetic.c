// Two threads that count under a lock beside two that pass a value without one: what one pair does is nothing to the other.
//@ check --races ignore --strategy unfold: safe
//@ check --races ignore --strategy contextual: safe
//@ check --races ignore --strategy stateful: safe
//@ check --races ignore --strategy stateful-naive: safe
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int own[2], passed, seen;

static void *locks(void *arg)
{
    for (int round = 0; round < ROUNDS + 1; round++) {
        pthread_mutex_lock(&lock);
        own[(long)arg]++;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void *passes(void *arg)
{
    for (int round = 0; round < ROUNDS; round++)
        passed = seen + 1;
    return arg;
}

static void *looks(void *arg)
{
    for (int round = 0; round < ROUNDS; round++)
        seen = passed;
    return arg;
}

int main(void)
{
    pthread_t threads[4];
    pthread_create(&threads[0], 0, locks, (void *)0);
    pthread_create(&threads[1], 0, locks, (void *)1);
    pthread_create(&threads[2], 0, passes, 0);
    pthread_create(&threads[3], 0, looks, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
