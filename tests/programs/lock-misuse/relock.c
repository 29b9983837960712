// Locking a normal mutex that one holds already: the thread waits for itself.
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int size;

static void grow(void)
{
    pthread_mutex_lock(&lock); //~ BUG lock-misuse
    size *= 2;
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_mutex_lock(&lock);
    if (size == 0)
        grow();
    pthread_mutex_unlock(&lock);
    return 0;
}
