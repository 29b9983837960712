// A destructor that stores a new value is called again for it (up to PTHREAD_DESTRUCTOR_ITERATIONS rounds);
// here the second round stores nothing, so there are exactly two calls.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;
static int calls;
static char first, second;

static void destroy(void *value)
{
    calls++;
    assert(pthread_getspecific(key) == NULL);
    if (value == &first)
        pthread_setspecific(key, &second);
    else
        assert(value == &second);
}

static void *work(void *arg)
{
    pthread_setspecific(key, &first);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_key_create(&key, destroy);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    assert(calls == 2);
    pthread_key_delete(key);
    return 0;
}
