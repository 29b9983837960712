// Two readers both want to write without giving up their read lock: each waits for itself, and for the other to stop reading. Only whoever sees
// a value to raise asks, so a tool that lets it wait quietly reports a deadlock at best.
//@ check: bug lock-misuse
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *raise(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    if (value < 2) {
        pthread_rwlock_wrlock(&lock); //~ BUG lock-misuse
        value++;
        pthread_rwlock_unlock(&lock);
    }
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, raise, NULL);
    raise(NULL);
    pthread_join(thread, NULL);
    return 0;
}
