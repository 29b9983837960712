// A mutex belongs to the thread that locked it; another one may not unlock it.
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *release(void *arg)
{
    pthread_mutex_unlock(&lock); //~ BUG lock-misuse
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, release, NULL);
    pthread_join(thread, NULL);
    return 0;
}
