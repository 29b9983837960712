// Both threads lock properly, but nobody tells the user that the object is gone: a bug in one of two orders, and no race.
//@ check: bug use-after-free executions=2 blocked=0
//@ check --strategy exhaustive: bug use-after-free
//@ check --strategy random --runs 100: bug use-after-free
//@ check --strategy pct --runs 100: bug use-after-free
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *session;

static void *close_session(void *arg)
{
    pthread_mutex_lock(&lock);
    free(session);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    session = calloc(1, sizeof *session);
    if (session == NULL)
        return 1;
    pthread_create(&thread, NULL, close_session, NULL);
    pthread_mutex_lock(&lock);
    *session = 1; //~ BUG use-after-free
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
