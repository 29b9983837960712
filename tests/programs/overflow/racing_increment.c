// The limit is checked in one critical section and the value raised in the next: two threads pass the check at INT_MAX - 1.
//@ check --strategy exhaustive --overflow: bug overflow
//@ check --strategy random --runs 300 --overflow: bug overflow
#include <limits.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level = INT_MAX - 1;

static void *increase(void *arg)
{
    pthread_mutex_lock(&lock);
    int seen = level;
    pthread_mutex_unlock(&lock);
    if (seen < INT_MAX) {
        pthread_mutex_lock(&lock);
        level = level + 1; //~ BUG overflow
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, increase, NULL);
    increase(NULL);
    pthread_join(thread, NULL);
    return 0;
}
