// A hand-made barrier that forgets to reset its counter works once: the second meeting waits for nobody.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy random --runs 500: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER;
static int arrived;
static atomic_int phase;

static void meet(void)
{
    pthread_mutex_lock(&lock);
    if (++arrived == 2)
        pthread_cond_broadcast(&full);
    while (arrived < 2)
        pthread_cond_wait(&full, &lock);
    pthread_mutex_unlock(&lock);
}

static void *other(void *arg)
{
    meet();
    atomic_store(&phase, 1);
    meet();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    meet();
    meet();
    assert(atomic_load(&phase) == 1); //~ BUG assertion
    pthread_join(thread, NULL);
    return 0;
}
