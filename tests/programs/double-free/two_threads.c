// Each thread frees the shared buffer under the lock and forgets to clear the pointer. Traces: either locks first.
//@ check: bug double-free executions=2 blocked=0
//@ check --strategy exhaustive: bug double-free
//@ check --strategy random --runs 20: bug double-free
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *buffer;

static void *clean_up(void *arg)
{
    pthread_mutex_lock(&lock);
    if (buffer != NULL)
        free(buffer); //~ BUG double-free
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    buffer = malloc(10);
    pthread_create(&thread, NULL, clean_up, NULL);
    clean_up(NULL);
    pthread_join(thread, NULL);
    return 0;
}
