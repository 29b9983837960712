// A reader asks for the write lock without giving up its read lock: it waits for itself.
//@ check: bug lock-misuse
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int cached;

int main(void)
{
    pthread_rwlock_rdlock(&lock);
    if (cached == 0) {
        pthread_rwlock_wrlock(&lock); //~ BUG lock-misuse
        cached = 1;
        pthread_rwlock_unlock(&lock);
    }
    pthread_rwlock_unlock(&lock);
    return 0;
}
