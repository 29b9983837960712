// A singleton on the heap by pthread_once: one object, the same for everybody.
//@ check --strategy exhaustive --leaks: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int *instance;

static void create(void)
{
    assert(instance == NULL);
    instance = calloc(1, sizeof *instance);
}

static int *get(void)
{
    pthread_once(&once, create);
    return instance;
}

static void *use(void *arg)
{
    (void)arg;
    return get();
}

int main(void)
{
    pthread_t thread;
    void *theirs;
    pthread_create(&thread, NULL, use, NULL);
    int *mine = get();
    pthread_join(thread, &theirs);
    assert(mine != NULL && mine == theirs);
    free(mine);
    return 0;
}
