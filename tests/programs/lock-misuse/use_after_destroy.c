// A destroyed mutex is locked.
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>

static pthread_mutex_t lock;

int main(void)
{
    pthread_mutex_init(&lock, NULL);
    pthread_mutex_destroy(&lock);
    pthread_mutex_lock(&lock); //~ BUG lock-misuse
    pthread_mutex_unlock(&lock);
    return 0;
}
