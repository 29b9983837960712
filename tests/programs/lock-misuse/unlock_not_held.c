// Unlock of a mutex that nobody holds: undefined for a normal mutex.
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_unlock(&lock); //~ BUG lock-misuse
    return 0;
}
