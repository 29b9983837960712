// The length is measured under the lock, and the string copied under the lock, but not in one go. A tool that runs library functions natively and at once sees
// neither the string grow nor the copy overflow. Traces: the suffix comes before the measurement, between measurement and copy (the overflow),
// behind the copy.
//@ check: bug out-of-bounds executions=3 blocked=0
//@ check --strategy classes: bug out-of-bounds
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *name;

static void *extend(void *arg)
{
    pthread_mutex_lock(&lock);
    strcat(name, "suffix");
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    name = malloc(32);
    strcpy(name, "base");
    pthread_create(&thread, NULL, extend, NULL);
    pthread_mutex_lock(&lock);
    size_t length = strlen(name);
    pthread_mutex_unlock(&lock);
    char *copy = malloc(length + 1);
    pthread_mutex_lock(&lock);
    strcpy(copy, name); //~ BUG out-of-bounds
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    free(copy);
    free(name);
    return 0;
}
