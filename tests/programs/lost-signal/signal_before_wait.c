// A wait without a predicate: a signal that comes before the wait is gone. Traces: main locks first, or the notifier.
//@ check: bug lost-signal executions=2 blocked=0
//@ check --strategy exhaustive: bug lost-signal
//@ check --strategy random --runs 300: bug lost-signal
//@ check --strategy pct --runs 300: bug lost-signal
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *notify(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, notify, NULL);
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&cond, &lock); //~ BUG lost-signal
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
