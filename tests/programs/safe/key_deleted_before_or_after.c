// A worker has a value for a key that main deletes while the worker makes its last step. Whether the key was there decides whether its destructor runs, and
// not where the worker stops before it ends.
//@ check: safe
//@ check --strategy dpor-classic: safe
//@ check --strategy exhaustive: safe
#include <pthread.h>
#include <stdatomic.h>

static pthread_key_t key;
static atomic_int is_destroyed;

static void destroy(void *value)
{
    (void)value;
    is_destroyed = 1;
}

static void *work(void *arg)
{
    pthread_key_t own;
    pthread_setspecific(key, &key);
    pthread_key_create(&own, destroy);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_key_create(&key, destroy);
    pthread_create(&thread, NULL, work, NULL);
    pthread_key_delete(key);
    pthread_join(thread, NULL);
    return is_destroyed;
}
