// The pointer is checked in one critical section, and freed and cleared in the next: only overlapping threads free it twice.
//@ check --strategy exhaustive: bug double-free
//@ check --strategy random --runs 300: bug double-free
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *buffer;

static void *clean_up(void *arg)
{
    pthread_mutex_lock(&lock);
    char *mine = buffer;
    pthread_mutex_unlock(&lock);
    if (mine != NULL) {
        pthread_mutex_lock(&lock);
        free(mine); //~ BUG double-free
        buffer = NULL;
        pthread_mutex_unlock(&lock);
    }
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
