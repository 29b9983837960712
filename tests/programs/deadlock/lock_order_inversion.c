// Two locks in opposite order: each thread holds what the other wants. Traces: one after the other (2), and the deadlock.
//@ check: bug deadlock executions=3 blocked=0
//@ check --strategy exhaustive: bug deadlock
//@ check --strategy random --runs 300: bug deadlock
//@ check --strategy pct --runs 300: bug deadlock
//@ check --strategy pos --runs 300: bug deadlock
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *backwards(void *arg)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); //~ BUG deadlock
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, backwards, NULL);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); //~ BUG deadlock
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(thread, NULL);
    return 0;
}
