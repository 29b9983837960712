// A mutex is destroyed while it is locked.
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>

int main(void)
{
    pthread_mutex_t lock;
    pthread_mutex_init(&lock, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_destroy(&lock); //~ BUG lock-misuse
    return 0;
}
