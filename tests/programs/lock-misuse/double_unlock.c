// The second unlock may even release the lock of another thread that got it in between.
//@ check --strategy exhaustive: bug lock-misuse
//@ check --strategy random --runs 50: bug lock-misuse
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&lock); //~ BUG lock-misuse
    pthread_join(thread, NULL);
    return 0;
}
