// pthread_self is the identity that pthread_create gave out, and pthread_equal compares identities.
// The mutex makes the creator's write of `child` visible to the child.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t parent, child;

static void *compare(void *arg)
{
    (void)arg;
    assert(!pthread_equal(parent, pthread_self()));
    pthread_mutex_lock(&lock);
    assert(pthread_equal(child, pthread_self()));
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    parent = pthread_self();
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, compare, NULL);
    child = thread;
    pthread_mutex_unlock(&lock);
    assert(pthread_equal(parent, pthread_self()));
    assert(!pthread_equal(thread, pthread_self()));
    pthread_join(thread, NULL);
    return 0;
}
