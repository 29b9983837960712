// The race shows only if main takes the lock first and so leaves the worker's unprotected access unordered; a schedule in which the
// worker unlocks before main locks orders the two accesses and hides it.
//@ check --strategy exhaustive: bug data-race
//@ check --strategy random --runs 200: bug data-race
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data, guarded;

static void *work(void *arg)
{
    data = 1; //~ BUG data-race
    pthread_mutex_lock(&lock);
    guarded++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    guarded++;
    pthread_mutex_unlock(&lock);
    data = 2; //~ BUG data-race
    pthread_join(thread, NULL);
    return 0;
}
