// Lock, increment, unlock in two threads: every pair of accesses to the counter is ordered by the mutex,
// so there is neither a race nor a lost update.
//@ check --strategy exhaustive: safe
//@ check --strategy random --runs 100: bounded
//@ check --strategy pct --runs 100: bounded
//@ check --strategy pos --runs 100: bounded
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *increment(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, increment, NULL);
    pthread_create(&b, NULL, increment, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
