// The callback locks again, but it is called under the lock only if the other thread registered it in time.
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*callback)(void);
static int calls;

static void count_call(void)
{
    pthread_mutex_lock(&lock); //~ BUG lock-misuse
    calls++;
    pthread_mutex_unlock(&lock);
}

static void *install(void *arg)
{
    pthread_mutex_lock(&lock);
    callback = count_call;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, install, NULL);
    pthread_mutex_lock(&lock);
    if (callback != NULL)
        callback();
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
