// Each thread has its own value under a key; when a thread ends, the destructor gets its value. Nothing leaks.
//@ check --strategy exhaustive --leaks: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_key_t key;
static atomic_int destroyed;

static void destroy(void *value)
{
    atomic_fetch_add(&destroyed, *(int *)value);
    free(value);
}

static void *work(void *arg)
{
    assert(pthread_getspecific(key) == NULL);
    int *mine = malloc(sizeof *mine);
    if (mine == NULL)
        abort();
    *mine = arg == NULL ? 1 : 10;
    assert(pthread_setspecific(key, mine) == 0);
    assert(pthread_getspecific(key) == mine);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    assert(pthread_key_create(&key, destroy) == 0);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, &key);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(atomic_load(&destroyed) == 11);
    assert(pthread_getspecific(key) == NULL);
    assert(pthread_key_delete(key) == 0);
    return 0;
}
