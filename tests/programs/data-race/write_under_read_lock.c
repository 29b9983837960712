// A plain write under a read lock races with another reader's read.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int cached;

static void *refresh(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    cached = 1; //~ BUG data-race
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, refresh, NULL);
    pthread_rwlock_rdlock(&lock);
    int seen = cached; //~ BUG data-race
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    return seen > 1;
}
