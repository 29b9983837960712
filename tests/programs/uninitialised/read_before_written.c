// The worker fills the message under the lock, but main may take the lock first and decide on memory that nobody wrote.
//@ check --strategy exhaustive --uninit: bug uninitialised
//@ check --strategy random --runs 100 --uninit: bug uninitialised
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *message;

static void *fill(void *arg)
{
    pthread_mutex_lock(&lock);
    *message = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int urgent = 0;
    message = malloc(sizeof *message);
    if (message == NULL)
        return 1;
    pthread_create(&thread, NULL, fill, NULL);
    pthread_mutex_lock(&lock);
    if (*message == 1) //~ BUG uninitialised
        urgent = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    free(message);
    return urgent > 1;
}
