// A poll that fails locks a, then b, main locks b, then a: a deadlock within a round that comes to nothing.
//@ check: bug deadlock
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;

static int is_done(void)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); //~ BUG deadlock
    int seen = atomic_load(&done);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return seen;
}

static void *polls(void *arg)
{
    while (!is_done()) {
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, polls, NULL);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    atomic_store(&done, 1);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_join(thread, NULL);
    return 0;
}
