// Two locks in opposite orders. Branches have nothing to do with it, so a search by branches looks for the chain of threads that wait for each other.
//@ check: bug deadlock
//@ check --strategy interference --max-interferences 0: bug deadlock
// The gate lets one thread at a time near them.
//@ check --cflag=-DGATE: safe
//@ check --cflag=-DGATE --strategy interference: safe
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
#ifdef GATE
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
#define ENTER() pthread_mutex_lock(&gate)
#define LEAVE() pthread_mutex_unlock(&gate)
#else
#define ENTER() (void)0
#define LEAVE() (void)0
#endif

static void *one(void *arg)
{
    ENTER();
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); //~ BUG deadlock
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    LEAVE();
    return arg;
}

static void *other(void *arg)
{
    ENTER();
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); //~ BUG deadlock
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    LEAVE();
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, one, 0);
    pthread_create(&threads[1], 0, other, 0);
    pthread_join(threads[0], 0); //~ BUG deadlock
    pthread_join(threads[1], 0);
    return 0;
}
