// Two threads that nobody can tell apart race with each other while a third fails: the race does not need the failing thread, and is
// found whether the threads are explored in one order or in both.
//@ check: bug data-race lock-misuse
//@ check --symmetry: bug data-race lock-misuse
#include <pthread.h>
#include <stddef.h>

static int *box;
static int value;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *put(void *arg)
{
    box = &value; //~ BUG data-race
    return arg;
}

static void *misuse(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock); //~ BUG lock-misuse
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, misuse, NULL);
    pthread_create(&threads[1], NULL, put, NULL);
    pthread_create(&threads[2], NULL, put, NULL);
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
