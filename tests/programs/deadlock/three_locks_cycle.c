// A cycle over three locks and three threads; no two of the threads can deadlock alone. Each lock is taken by two threads in
// one of two orders, 2^3; that all three are taken second-hand first is impossible, which leaves 7 traces. That all are taken by their owners first is the
// deadlock.
//@ check: bug deadlock executions=7 blocked=0
//@ check --strategy classes: bug deadlock
//@ check --strategy random --runs 2000: bug deadlock
//@ check --strategy pct --runs 2000 --depth 3: bug deadlock
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *take_two(void *arg)
{
    intptr_t me = (intptr_t)arg;
    pthread_mutex_lock(&locks[me]);
    pthread_mutex_lock(&locks[(me + 1) % 3]); //~ BUG deadlock
    pthread_mutex_unlock(&locks[(me + 1) % 3]);
    pthread_mutex_unlock(&locks[me]);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, take_two, (void *)1);
    pthread_create(&b, NULL, take_two, (void *)2);
    take_two((void *)0);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
