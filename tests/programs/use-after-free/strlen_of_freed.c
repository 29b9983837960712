// `strlen` reads a heap string that the other thread replaces and frees. The free conflicts with every byte that `strlen` has yet to read: a tool that
// takes the call for one step sees it before or after the free only, and where the pointer was read under the lock it calls that fine.
// Traces: the replacement first (strlen of the new string); behind the lookup, the free before the first byte is read, before the second, before the
// terminator (3 times use after free), or behind them all: 5.
//@ check --races ignore: bug use-after-free executions=5 blocked=0
//@ check --races ignore --strategy classes: bug use-after-free
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *name;

static void *rename_it(void *arg)
{
    char *fresh = strdup("new");
    pthread_mutex_lock(&lock);
    char *old = name;
    name = fresh;
    pthread_mutex_unlock(&lock);
    free(old);
    return arg;
}

int main(void)
{
    pthread_t thread;
    name = strdup("ab");
    pthread_create(&thread, NULL, rename_it, NULL);
    pthread_mutex_lock(&lock);
    const char *mine = name;
    pthread_mutex_unlock(&lock);
    size_t length = strlen(mine); //~ BUG use-after-free
    pthread_join(thread, NULL);
    free(name);
    return length == 0;
}
