// A lock helps only if both sides take it.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level;

static void *raise_level(void *arg)
{
    pthread_mutex_lock(&lock);
    level = 3; //~ BUG data-race
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, raise_level, NULL);
    int seen = level; //~ BUG data-race
    pthread_join(thread, NULL);
    return seen > 3;
}
